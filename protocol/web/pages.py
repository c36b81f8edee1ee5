"""Templates. Whatever a template is given is escaped, and characters that a page cannot hold are replaced."""

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from ledger import plain


class Pages:
    """The templates of an app. `package` has them in its folder `templates`, and builds on base.html."""

    def __init__(self, package: str) -> None:
        self._templates = Environment(
            loader=ChoiceLoader([PackageLoader(package), PackageLoader("protocol.web")]),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_harmless,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["shown"] = plain.shown

    def __call__(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page. The template also knows `csrf`, the secret for forms, and `path`, the page's own."""
        found = self._templates.get_template(template)
        return HTMLResponse(found.render(csrf=request.state.csrf, path=request.url.path, **values), status_code=status)


def static(*packages: str) -> StaticFiles:
    """The files of these packages' folders `static`, and the design; to be mounted at /static."""
    return StaticFiles(packages=[(package, "static") for package in (*packages, "protocol.web")])


def _harmless(value: Any) -> Any:
    return plain.harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
