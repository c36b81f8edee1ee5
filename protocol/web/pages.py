"""Templates. Whatever a template is given is escaped, and characters that a page cannot hold are replaced.

A template names the app's own pages by their paths, such as href="/settings". The page gets them below the path that
the guard has chosen for this run. Scripts use addresses relative to their page.
"""

import re
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from ledger import plain

_OWN = re.compile(r'(\s(?:href|src|action|data-to)=")/')


class _BelowRoot(Extension):
    """Puts the guard's path before the paths in a template."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """The template, with `root` before each path of the app."""
        return _OWN.sub(r"\1{{ root }}/", source)


class Pages:
    """The templates of an app. `package` has them in its folder `templates`, and builds on base.html."""

    def __init__(self, package: str) -> None:
        self._templates = Environment(
            loader=ChoiceLoader([PackageLoader(package), PackageLoader("protocol.web")]),
            autoescape=True,
            extensions=[_BelowRoot],
            undefined=StrictUndefined,
            finalize=_harmless,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["shown"] = plain.shown

    def __call__(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page. The template also knows `csrf`, the secret for forms, the page's own `path`, and `root`, below which
        the app's pages are: the guard's path, and that of the app within another one.
        """
        root = request.state.root + request.scope.get("root_path", "")
        known = {"csrf": request.state.csrf, "root": root, "path": request.url.path}
        return HTMLResponse(self._templates.get_template(template).render(**known, **values), status_code=status)


def static(*packages: str) -> StaticFiles:
    """The files of these packages' folders `static`, and the design; to be mounted at /static."""
    return StaticFiles(packages=[(package, "static") for package in (*packages, "protocol.web")])


def _harmless(value: Any) -> Any:
    return plain.harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
