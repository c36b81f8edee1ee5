"""What the responsive mail is about, and what sounds like it.

The matter: the firm borrowed through prepay swaps and booked the money as trading. It has five sides, each with its own
words, so that a learner finds it bit by bit. The near misses use the same words about something else.
"""

from protocol.sources.madeup.subject import Subject, lines

REQUEST = (
    "All documents about the prepay swaps that Halden Energy made with banks through Cayuse Trading or any similar "
    "vehicle: their terms, their collateral, their booking, and what the auditors and the public were told of them."
)
QUERY = "prepay swap collateral auditor vehicle"

SIDES: tuple[Subject, ...] = (
    Subject(
        people=("treasury", "treasury", "northgate.example"),
        subjects=lines("""
            [{deal}|{deal} prepay|The {deal} swap]: [drawdown|term sheet|closing steps|rate|where we are]
            [Prepay|Prepay swap] with {bank}
            Collateral for [{deal}|the {bank} prepay]
            [Unwind of {deal}|Repayment schedule for {deal}|Second tranche of {deal}]
        """),
        sentences=lines("""
            {bank} [will fund|wants to fund] the {deal} prepay on {date}: {money} now, deliveries over {count} months.
            The swap takes [the|all] price risk out, so what is left is a fixed repayment of {money}.
            [Please send|Could you send|I still need] the collateral schedule for {deal} before {bank} asks again.
            The lender wants a guaranty of the parent and collateral of {percent} of the notional.
            We can draw the second tranche [after {date}|once the swap confirmations are signed].
            If we unwind {deal} before {quarter}, the repayment is {money} plus breakage.
            The implied rate of the prepay is {percent} over the bank's own cost, which [is steep|we can live with].
            {bank} syndicates half of the notional, and all lenders want the same swap terms.
            [The fixed leg|The floating leg] of the swap nets to zero with {vehicle}; only the prepay remains.
            {first} has the drawdown notice for {money}; it must reach {bank} by {time} on {day}.
            Nobody at the bank expects {commodity} to be delivered under {deal}.
            We need another {money} of prepay before {quarter} to make the cash flow target.
            The repayment of {deal} falls due on {date}, and we have no roll-over yet.
        """),
        files=("{deal} term sheet", "{deal} collateral schedule", "repayment of {deal}"),
        columns="Date {date},Tranche {count},Repayment {money},Rate {percent}",
    ),
    Subject(
        people=("accounting", "accounting", "pellmarsh.example"),
        subjects=lines("""
            How we book {deal}
            [Auditor's|Pell & Marsh] questions on [{deal}|the prepays]
            [Footnote|Disclosure] on [prepays|price risk liabilities] for {quarter}
            Balance sheet effect of {deal}
        """),
        sentences=lines("""
            The auditor asks why {deal} sits in price risk liabilities and not in debt.
            If {deal} were booked as debt, the ratio in {quarter} would be {percent} worse.
            [Please keep|We should keep] the footnote as it was: it says trading liabilities and nothing of the prepay.
            Pell & Marsh [will|are willing to] sign off on cash flow if the swap documents stand alone.
            {first} worries that the disclosure does not mention that the repayment is fixed.
            We booked {money} of {deal} as operating cash flow in {quarter}.
            The prepay interest runs through trading margin, [as agreed|which the auditor has not noticed].
            Materiality for the auditor is {money}, and the prepays are several times that.
            We would have to restate {quarter} if the three legs of {deal} were taken together.
            [Please change|Could you change] the wording for the auditor: call it a commodity contract, not a loan.
            The ledger shows {vehicle} as a counterparty, so consolidation [comes up again|is the next question].
            The audit committee was told of {money}, and the true number of all prepays is higher.
        """),
        files=("booking memo {deal}", "answers to the auditor", "price risk liabilities {quarter}"),
        columns="Quarter {quarter},Counterparty {vehicle},Prepay {money},Accrual {percent}",
    ),
    Subject(
        people=("trading", "treasury", "cayuse.example"),
        subjects=lines("""
            [Circular|Back to back] trades with {vehicle}
            {deal}: [deliveries|nominations|price leg|confirmations]
            {vehicle} swap confirmations
        """),
        sentences=lines("""
            The {commodity} goes from us to {vehicle} and back on the same day, so nothing moves at {hub}.
            [Please book|Book] the swap with {vehicle} at {price} and the mirror trade with {bank} at the same price.
            The three confirmations for {deal} must carry the same date, or the circle is open.
            {vehicle} takes title to {volume} and sells it on to {bank} within the hour.
            The desk should show no profit on {deal}, [please check|I checked]; it is only the prepay in other clothes.
            Risk asks why {volume} for {vehicle} have no transport behind them.
            The spot leg with {vehicle} is off market by {price}, which is where the interest sits.
            Scheduling does not need to nominate anything for {deal}.
            {vehicle} has [no storage|no shipper of its own], so physical delivery under the prepay is not possible.
        """),
        files=("{vehicle} confirmations", "three legs of {deal}"),
        columns="Date {date},Counterparty {vehicle},Swap volume {volume},Price {price}",
    ),
    Subject(
        people=("legal", "treasury", "cayuse.example"),
        subjects=lines("""
            {vehicle}: [ownership|trustee|charter|annual fee]
            Who owns {vehicle}
        """),
        sentences=lines("""
            {vehicle} is owned by a charitable trust in Jersey, and the trustee does what {bank} asks.
            The nominee directors of {vehicle} sign [whatever {first} sends|on {day}].
            The trustee of {vehicle} wants its fee and a letter that it is not our affiliate.
            If {vehicle} is a shell under our control, the prepay must be consolidated.
            The charter of {vehicle} allows it to hold {commodity}, which it never will.
            {bank} set up {vehicle}, but {first} chose the name and pays the incorporation fees.
            We should not keep the register of {vehicle} in this office.
        """),
        files=("charter of {vehicle}", "register of {vehicle}"),
    ),
    Subject(
        people=("legal", "ostrowlane.example", "treasury"),
        subjects=lines("""
            [Privileged: |]opinion on {deal}
            [True sale|Enforceability] of the {deal} swap
            {deal} guaranty
        """),
        sentences=lines("""
            Our opinion on {deal} assumes that each swap stands alone; if it does not, we cannot give it.
            You asked for legal advice on whether the prepay is a loan under the covenant with {bank}.
            The indemnity in the {deal} guaranty [goes too far|would survive an unwind].
            A waiver from {bank} is needed, because the prepay breaches clause {count} of the credit agreement.
            As your counsel I advise against putting the side letter with {vehicle} into the closing set.
            The novation to {vehicle} does not release the parent from the guaranty.
        """),
        files=("draft opinion {deal}", "guaranty {deal}"),
    ),
)
"""The responsive subjects, the most frequent one first."""

NEAR_MISSES: tuple[Subject, ...] = (
    Subject(
        people=("trading", "operations"),
        subjects=lines("""
            [Basis|Weather|Fixed price] swap for {customer}
            Hedge of {customer}
        """),
        sentences=lines("""
            {customer} wants a plain swap on {volume} for next winter, cleared through {bank}.
            The swap for {customer} is marked at {price}, and margin is posted every day.
            {customer} posted collateral in cash, {money}, as its master agreement says.
            The counterparty limit for {customer} is used to {percent}.
            [Please confirm|Could you confirm] the notional with {customer} before {day}.
        """),
        files=("swap quote {customer}",),
        columns="Month {month},Counterparty {customer},Volume {volume},Swap {price}",
    ),
    Subject(
        people=("marketing", "people"),
        subjects=lines("""
            [Sales|Trade show] collateral
            Brochures for {city}
        """),
        sentences=lines("""
            The marketing collateral for {city} comes from the printer on {day}.
            We have {count} boxes of collateral left, brochures and pens.
            [Please take|Could you take] the old logo off all collateral before the fair in {city}.
        """),
        files=("list of collateral for {city}",),
    ),
    Subject(
        people=("facilities", "people", "computing"),
        subjects=lines("""
            Prepaid [phone cards|parking|conference fees]
            [Company|Pool] vehicle [booking|keys]
        """),
        sentences=lines("""
            You can prepay the parking for {month}, {smallmoney} a place; ask {first}.
            The pool vehicle with the blue plates is at the garage until {day}.
            Whoever had the vehicle on {day}: the keys are still missing.
            The hotel in {city} wants us to prepay {count} rooms for the offsite.
            Anyone who wants to swap shifts on {day} or swap desks, tell {first} first.
        """),
        files=("vehicle log {month}",),
    ),
    Subject(
        people=("operations", "regulatory"),
        subjects=lines("""
            [Safety|Environmental|ISO] auditor at {plant}
            Findings of the [safety|metering] audit
        """),
        sentences=lines("""
            The safety auditor comes to {plant} on {date}, and wants to see the valve records.
            The auditor found {count} small things at {plant}, mostly labels and a ladder.
            [Please send|Could you send] the training records to the environmental auditor.
            Our disclosure to the state lists the spill at {plant}, as the permit requires.
        """),
        files=("audit findings {plant}",),
    ),
    Subject(
        people=("treasury", "accounting"),
        subjects=lines("""
            [Renewal of the|The] revolver with {bank}
            Bank fees in {month}
        """),
        sentences=lines("""
            The revolver with {bank} renews on {date}, at the same margin and with the same lenders.
            The syndicate of the revolver asks for the compliance certificate for {quarter}.
            Repayment of the commercial paper went out at {time}.
            {bank} charged {smallmoney} too much in fees for {month}.
            The balance at {bank} was {money} at close of business.
        """),
        files=("bank balances {month}",),
        columns="Date {date},Bank {bank},Balance {money}",
    ),
)
"""Subjects with the same words, which are not responsive."""

OBLIQUE = lines("""
    About the other thing: not in writing, please. Call me at {phone}.
    [As for|On] what we said in {room} on {day}: I would rather nobody kept a copy.
    {first} knows the number that I mean. Keep it off the sheet.
    Same arrangement as last {month}, same people, and the same three signatures.
    Tell our friends in {city} that it goes ahead.
    {first} asked about it again. You know what to say.
    We are fine as long as nobody adds it up before {date}.
    You did not get this from me.
""")
"""Responsive to those who know, if it is; others write so about birthdays and bonuses."""
