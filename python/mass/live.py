"""Page that shows and steers a run."""

from __future__ import annotations

from html import escape
from types import TracebackType

from . import _core


class Live:
    """Page of a run in browsers of this machine; `live` of a run makes it. A notebook shows it in a frame."""

    def __init__(self, core: _core.Run | _core.OwnRun, port: int) -> None:
        self._core: _core.Run | _core.OwnRun | None = core
        self._url, self._frame = core.open_view(port)

    @property
    def url(self) -> str:
        """Address of the page, with its secret. From another machine, `ssh -L PORT:127.0.0.1:PORT` leads to it."""
        return self._url

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._core is None

    def close(self) -> None:
        """Ends the page. The run goes on without it. A second call does nothing.

        Raises UsageError if another thread makes steps.
        """
        if self._core is not None:
            self._core.close_view()
            self._core = None

    def __enter__(self) -> Live:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _repr_html_(self, height: int = 720) -> str:
        if self.closed:
            return "<p>The live view is closed.</p>"
        return (
            f'<iframe src="{escape(self._frame)}" title="live view" width="100%" height="{height}" style="border: 0">'
            "</iframe>"
        )

    def __repr__(self) -> str:
        return "<closed live view>" if self.closed else f"<live view at {self._url}>"
