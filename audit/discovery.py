"""Find the modules of an app that must be imported at startup, so that no list of them is needed."""

from pathlib import Path


def modules_named(topic: str, app_path: str) -> list[str]:
    """List every module of a topic, relative to the app: `acts` finds `acts.py`, `…_acts.py` and `acts/*.py`.

    `AppConfig.ready` hands them to Django's `autodiscover_modules`: acts and words register themselves when imported.
    """
    root = Path(app_path)
    paths = {*root.rglob(f"{topic}.py"), *root.rglob(f"*_{topic}.py"), *root.rglob(f"{topic}/*.py")}
    names = (".".join(path.relative_to(root).with_suffix("").parts) for path in sorted(paths))
    return [name.removesuffix(".__init__") for name in names]
