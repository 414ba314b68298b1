"""Files beside the policies whose changes change the answers: settings, tables, hierarchies."""

import os
from collections.abc import Iterable

from lsprotocol import types
from pygls.uris import to_fs_path

from acompass.project import FILE

#: tables outside of the opened folders are looked at when the policy changes
PATTERNS = (f"**/{FILE}", "**/*.{csv,csv.gz,tsv,tsv.gz,txt,parquet,pq}")


def registration() -> types.RegistrationParams:
    watchers = [types.FileSystemWatcher(pattern) for pattern in PATTERNS]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    return types.RegistrationParams([types.Registration("acompass-files", method, options)])


def changed_files(events: Iterable[types.FileEvent]) -> set[str]:
    paths = (to_fs_path(event.uri) for event in events)
    return {os.path.realpath(path) for path in paths if path is not None}
