"""The page before the signature, the signature, and its receipt."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ledger.errors import Refused
from ledger.keyfiles import PassphraseNeeded, WrongPassphrase
from ledger.roles import Role
from protocol.matter.naming import Telling
from protocol.matter.values import Caption
from protocol.parties import preview
from protocol.parties.errors import Objectionable
from protocol.room import chances, receipts
from protocol.room.handling import QUESTION, Handlers, about, form, state_of
from protocol.room.steps import SAID


class Signing(Handlers):
    """The pages around a signature."""

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(f"{QUESTION}/sign", self.page(self.show), methods=["GET"]),
            Route(f"{QUESTION}/sign", self.page(self.sign), methods=["POST"]),
            Route(f"{QUESTION}/receipt", self.page(self.receipt)),
            Route(f"{QUESTION}/receipt.txt", self.page(self.receipt_file)),
            Route(f"{QUESTION}/receipt.json", self.page(self.signed_receipt)),
        ]

    def show(self, request: Request, _: bytes) -> Response:
        """What would be signed, in words, with the numbers."""
        return self._shown(request)

    def _shown(self, request: Request, wrong: str = "") -> Response:
        name = request.path_params["id"]
        desk = self.room.ready(name)
        replacing = "replace" in request.query_params
        if replacing:
            self.room.check_withdrawal(name)
        lacking = desk.missing()
        if lacking:
            return self.pages(request, "missing.html", **about(name, desk), lacking=lacking[:SAID], total=len(lacking))
        try:
            shown, mark = desk.about_to_sign(self.room.source.out(name), replacing=replacing)
        except Objectionable as fault:
            return self._at_fault(request, fault)
        view = desk.ready.view
        return self.pages(
            request,
            "sign.html",
            status=403 if wrong else 200,
            **about(name, desk),
            terms=preview.whole_terms(view) if view.first else None,
            shown=shown,
            mark=mark,
            replacing=replacing,
            withdrawable=desk.answered and not replacing and not self.room.must_stand(name),
            seen=chances.seen(desk.ready, desk.decisions(), _after_bob(view.opening.caption)),
            passphrase=not self.room.unlocked,
            wrong=wrong,
            others=desk.ready.asked.others[:5],
        )

    def sign(self, request: Request, body: bytes) -> Response:
        """Sign what was shown."""
        name, given = request.path_params["id"], form(body)
        try:
            self.room.check_passphrase(given.get("passphrase", ""), keep="keep" in given)
        except (WrongPassphrase, PassphraseNeeded) as error:
            return self._shown(request, wrong=str(error))
        try:
            self.room.sign(name, given.get("mark", ""), replacing="replacing" in given)
        except Objectionable as fault:
            return self._at_fault(request, fault)
        return RedirectResponse(f"/q/{name}/receipt", status_code=303)

    def _at_fault(self, request: Request, fault: Objectionable) -> Response:
        """What only the attempt to sign has shown, such as a copy that is not verified."""
        self.room.at_fault(request.path_params["id"], fault)
        return self.at_fault(request)

    def receipt(self, request: Request, _: bytes) -> Response:
        """The receipt, and what became of the answer."""
        name = request.path_params["id"]
        items = self.room.items()
        item = self.room.item(name)
        return self.pages(
            request,
            "receipt.html",
            state=state_of(items),
            id=name,
            item=item,
            text=self._receipt(name).decode(),
            signed=bool(self.room.source.signed_receipt(name)),
        )

    def receipt_file(self, request: Request, _: bytes) -> Response:
        """The receipt as a file."""
        name = request.path_params["id"]
        headers = {"content-disposition": f'attachment; filename="receipt-{name}.txt"'}
        return Response(self._receipt(name), media_type="text/plain; charset=utf-8", headers=headers)

    def signed_receipt(self, request: Request, _: bytes) -> Response:
        """Trent's receipt, with his signature."""
        name = request.path_params["id"]
        found = self.room.source.signed_receipt(name)
        if not found:
            raise Refused("Trent has signed no receipt yet")
        headers = {"content-disposition": f'attachment; filename="receipt-{name}.json"'}
        return Response(found, media_type="application/json", headers=headers)

    def _receipt(self, name: str) -> bytes:
        asked = self.room.item(name).request
        if asked is None:
            return b""
        return receipts.kept(receipts.path_of(self.room.key_file, asked.matter, asked.entry, asked.kind))


def _after_bob(caption: Caption | None) -> Telling:
    """For the list below a heading that names Bob."""
    telling = Telling(caption)
    telling.introduced(Role.BOB)
    return telling
