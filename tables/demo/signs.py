"""The approved forms of the signs of the demo floor, so that its signs may stand and its limits may change."""

import datetime as dt

from audit import clock
from games.models import Facility, SignForm
from games.models.patrons import SignKind
from tables.models import Table

APPROVED = dt.timedelta(days=30)
WORDINGS: dict[SignKind, dict[str, str]] = {
    "odds": {"en": "{game}\nPayout odds", "es": "Pagos", "zh": "赔率"},
    "limits": {
        "en": "Minimum wager {min}\nMaximum wager {max}",
        "es": "Apuesta mínima {min}\nApuesta máxima {max}",
        "zh": "最低投注 {min}\n最高投注 {max}",
    },
    "limits-change": {
        "en": "New limits from {from}\nMinimum {new_min}\nMaximum {new_max}",
        "es": "Nuevos límites desde {from}\nMínimo {new_min}\nMáximo {new_max}",
        "zh": "新限额生效时间：{from}\n最低 {new_min}\n最高 {new_max}",
    },
    "payout-limit": {
        "en": "Highest payout of each player in a round: {limit}",
        "es": "Pago máximo por jugador en cada ronda: {limit}",
        "zh": "每位玩家每局最高赔付：{limit}",
    },
    "rules": {
        "en": "Rules in effect\n{rules}\nApproved {approved}",
        "es": "Reglas vigentes\n{rules}\nAprobadas el {approved}",
        "zh": "现行规则\n{rules}\n批准日期 {approved}",
    },
}


def approve_signs(facility: Facility) -> None:
    """A form of each kind of sign, approved for every game, and every table of the house told of them."""
    now = clock.now()
    forms = [
        SignForm.objects.create(
            facility=facility,
            kind=kind,
            version=1,
            location="On the table, at the dealer's right",
            width_mm=216,
            height_mm=279,
            wording=wording,
            status="approved",
            drafted_at=now - 2 * APPROVED,
            filed_at=now - 2 * APPROVED,
            decided_at=now - APPROVED,
            decided_by="Bureau of Gaming Operations",
            reference=f"BGO-S-{number:02d}",
        )
        for number, (kind, wording) in enumerate(WORDINGS.items(), start=1)
    ]
    form_ids = " ".join(str(form.pk) for form in forms)
    Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED).update(
        recorded_sign_ids=form_ids
    )
