"""What everybody else's mail is about: the daily business of an energy trader, and of any office."""

from protocol.sources.madeup.subject import Subject, lines

SUBJECTS: tuple[Subject, ...] = (
    Subject(
        people=("trading", "trading", "operations"),
        subjects=lines("""
            [Gas|Power|Oil] prices [this morning|at {hub}|for {month}]
            {month} [outlook|positions|curve]
            Quote for {customer}
        """),
        sentences=lines("""
            {commodity} opened at {price} and [fell|rose] by {percent} before noon.
            The cold front [reaches|misses] {city}, so demand in {month} will be [higher|lower] than we thought.
            We are long {volume} for {month}, and I want to be flat by {day}.
            {customer} asked for a quote on {volume} at {hub}.
            Storage is {percent} below last year, [which supports prices|but nobody seems to care].
            [Please mark|Could you mark] the {month} curve at {price}.
            The spread at {hub} is too wide to last.
            {first} thinks that the rally is over, and has been right so far.
            I sold {volume} at {price} to {customer} [this morning|at the close].
        """),
        files=("positions {month}", "curve {date}"),
        columns="Date {date},Counterparty {customer},Volume {volume},Price {price}",
    ),
    Subject(
        people=("operations", "operations", "trading"),
        subjects=lines("""
            [Nominations|Schedule] for {day}
            [Outage|Maintenance] at {plant}
            Imbalance on {pipeline}
        """),
        sentences=lines("""
            {pipeline} is down to {percent} of capacity until {date}.
            [Please nominate|Could you nominate] {volume} at {hub} before {time}.
            {plant} comes back on {date}, if the new pump arrives.
            The imbalance on {pipeline} is {volume}, most of it from {customer}.
            The meter at {hub} reads {percent} too low; {first} has called the operator.
            {plant} tripped at {time} and was back within {count} minutes.
            Shippers on {pipeline} get a flow order for {day}.
            The turnaround at {plant} needs {count} contractors for {count} days.
        """),
        files=("nominations {date}", "outages {month}"),
        columns="Date {date},Meter {hub},Volume {volume}",
    ),
    Subject(
        people=("regulatory", "legal"),
        subjects=lines("""
            [Hearing|Filing|Comments] in {state}
            Tariff case in {state}
            Rules on [metering|emissions|transmission]
        """),
        sentences=lines("""
            The commission in {state} hears the tariff case on {date}.
            Our comments on the transmission rule are due on {date}, {count} pages at most.
            [Please read|Could you read] the staff report from {state}; chapter {count} is about us.
            The consumer advocate in {state} wants {percent} off the tariff.
            {first} testifies in {state} and needs the load data for {month}.
            The emissions permit for {plant} runs out in {month}.
            {customer} has intervened in the case, and asks for the same tariff as the others.
        """),
        files=("comments {state}", "testimony {state}"),
    ),
    Subject(
        people=("people", "people", "legal"),
        subjects=lines("""
            [Interview|Candidate|Opening] in [operations|trading|accounting]
            [Benefits|Reviews|Holidays] for {month}
            Training on {day}
        """),
        sentences=lines("""
            The candidate from {city} comes on {day} at {time}; please keep {count} minutes free.
            Performance reviews are due on {date}, for everybody who has been here for {count} months.
            The health plan changes on {date}; the forms are with {first}.
            We have {count} applications for one place in operations.
            [Please hand in|Could you hand in] your holiday plans for {month}.
            The training on {day} is in {room} and takes {count} minutes less than last time.
            {first} leaves us at the end of {month}; there is cake in {room} at {time}.
        """),
        files=("interview plan {date}", "holidays {month}"),
        columns="Date {date},Name {first},Days {count}",
    ),
    Subject(
        people=("computing", "computing", "people"),
        subjects=lines("""
            [Outage|Upgrade|Slow start] of {system}
            [Password|Printer|Laptop] again
            Backup of {system}
        """),
        sentences=lines("""
            {system} is down from {time} on {day} for about {count} minutes.
            [Please restart|Could you restart] your machine before {day}, or the patch will do it for you.
            The printer beside {room} eats paper again.
            The backup of {system} failed on {day}, and the one before it is fine.
            {count} people share one password for {system}; this has to stop.
            {first} lost a laptop at the airport in {city}; it was encrypted.
            The new version of {system} has a button that nobody should press.
            Whoever stores films on the shared drive: it is {percent} full.
        """),
        files=("downtime {month}",),
    ),
    Subject(
        people=("facilities", "facilities", "people"),
        subjects=lines("""
            [Parking|Lift|Air conditioning|Fire drill]
            Move to {room}
            Lunch on {day}
        """),
        sentences=lines("""
            The lift on the east side is out of order until {day}.
            There is a fire drill on {day} at {time}; please leave your coffee behind.
            {vendor} brings lunch for {count} people to {room}.
            The garage closes at {time} on {day}, because the floor is painted.
            [Please empty|Could you empty] the fridge on the {count}th floor before it walks.
            The air conditioning in {room} is either off or arctic.
            {first} moves to {room} on {date}, with {count} boxes.
            The invoice of {vendor} for {smallmoney} has no order number.
        """),
        files=("floor plan {room}", "invoice {vendor}"),
    ),
    Subject(
        people=("marketing", "marketing", "trading"),
        subjects=lines("""
            [Trade fair|Customer day|Golf day] in {city}
            [Press|Web page] for {project}
            Visit of {customer}
        """),
        sentences=lines("""
            The stand in {city} is booked for {date}, next to the door and the coffee.
            {customer} visits on {day} with {count} people; {first} shows them the trading floor.
            The press release on {project} needs one more quote from {first}.
            [Please choose|Could you choose] a picture for the web page that is not a sunset.
            The golf day in {city} costs {smallmoney} a head and rain is forecast.
            The newspaper in {city} got the name of the firm wrong, twice.
        """),
        files=("guest list {city}", "press release {project}"),
    ),
    Subject(
        people=("accounting", "accounting", "facilities"),
        subjects=lines("""
            [Expenses|Invoices|Time sheets] for {month}
            Month end {month}
            Budget of {project}
        """),
        sentences=lines("""
            Expenses for {month} are due on {day}; {count} people are late, and you know who you are.
            The invoice of {vendor} was paid twice, {smallmoney} each time.
            [Please code|Could you code] the trip to {city} to {project}, not to overhead.
            Month end for {month} closes at {time} on {day}.
            The budget of {project} is overdrawn by {percent}.
            The cost center of {first} has changed; see the list.
            {vendor} sends reminders for {smallmoney} that we paid in {month}.
        """),
        files=("expenses {month}", "budget {project}"),
        columns="Date {date},Vendor {vendor},City {city},Amount {smallmoney}",
    ),
    Subject(
        people=("legal", "legal", "ostrowlane.example"),
        subjects=lines("""
            [Lease|License|Contract] with {vendor}
            [Privileged: |]claim of {customer}
            Review of the {customer} contract
        """),
        sentences=lines("""
            The lease in {city} ends on {date}, with notice of {count} weeks.
            {customer} claims {smallmoney} for a late delivery, and has a point.
            As counsel I would settle with {customer} and keep the customer.
            [Please sign|Could you sign] the confidentiality agreement with {vendor}.
            Clause {count} of the contract with {customer} names the wrong state.
            {first} was served with a paper about a parking dispute in {city}.
            Our advice on the claim of {customer} is attached and privileged.
        """),
        files=("contract {customer}", "advice on {customer}"),
    ),
    Subject(
        people=("operations", "marketing", "people", "computing", "trading"),
        subjects=lines("""
            [Softball|Chess|Choir|Running] [on {day}|again]
            Anyone for {day}?
            [Car|Bicycle|Concert tickets] for sale
        """),
        sentences=lines("""
            We need {count} players for {day}; talent is no obstacle.
            My sister sells a car, {count} years old, one door blue; {smallmoney} more than it is worth.
            I have two tickets for the concert in {city} on {date}.
            The choir meets in {room} at {time}, basses wanted.
            {first} ran the whole way on {day} and will not stop talking about it.
            Happy birthday to {first}; the card is with me until {time}.
            Who can look after a cat for {count} days in {month}?
        """),
        files=(),
    ),
)

ANYWHERE = lines("""
    [Let me know|Tell me] [what you think|if that works for you|by {day}].
    I am in {city} until {day}, but I read mail.
    Can we talk about it on {day} at {time}?
    {first} has the background, if you need it.
    I have put it on the list for {day}.
    The {paper} that {first} sent on {day} is not the latest one.
    [Please|Kindly] do not forward this before {first} has seen it.
    I will be at {phone} after {time}.
    We went over this on {day}, and nothing has changed since.
    There were {count} of us in {room}, so I may have missed something.
    I promised {first} an answer by {date}.
    Sorry for the late reply; it has been that kind of week.
    If {first} agrees, we can [go ahead|leave it at that].
    That is all I know for now.
""")
"""Sentences that say nothing about any subject."""

SHORT = lines("""
    [Thanks|Many thanks], that is what I needed.
    Fine with me.
    [Agreed|Yes|Right]. [I will tell {first}|Go ahead|Please do].
    Not yet. I will ask {first} on {day}.
    See below, and please keep me copied.
    Can you call me at {phone}?
    I am not sure that this is right. Who checked it?
    Done, at {time}.
    Let us discuss it in {room} at {time}.
    {first} says {day} is better.
    No objection from [me|our side|{city}].
    Who else knows about this?
""")
"""Whole replies."""

GREETINGS = ("{0},", "{0},", "Hi {0},", "Hello {0},", "Dear {0},", "{0}:")
CLOSINGS = ("Thanks,", "Regards,", "Best,", "Best regards,", "Many thanks,", "")
ATTACHED = lines("""
    The {paper} is attached.
    [See|Please see] the attached file.
    I attach what {first} sent me.
    [Attached is|Here is] the latest version.
""")
