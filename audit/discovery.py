"""Which modules of an app register acts, so that nobody has to list them."""

from pathlib import Path


def act_modules(app_path: str) -> list[str]:
    """Names, relative to the app, of every module that registers acts: `acts.py`, `…_acts.py`, and those in `acts/`.

    `AppConfig.ready` hands them to Django's `autodiscover_modules`.
    """
    root = Path(app_path)
    paths = sorted([*root.rglob("*acts.py"), *root.rglob("acts/*.py")])
    names = (".".join(path.relative_to(root).with_suffix("").parts) for path in paths)
    return [name.removesuffix(".__init__") for name in names]
