"""URLs of the floor."""

from django.urls import path

from .views import acts, corrections, facility, health, pages, relief, replay, sign_in, signs, slips

urlpatterns = [
    path("floor/<slug:facility>/<code:table>/acts/<str:act>", acts.act, name="act"),
    path("", pages.home, name="home"),
    path("enrol", sign_in.enrol, name="enrol"),
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-off", sign_in.sign_off, name="sign-off"),
    path("lock", sign_in.lock, name="lock"),
    path("floor/<slug:facility>/", pages.floor, name="floor"),
    path("floor/<slug:facility>/tiles", pages.tiles, name="tiles"),
    path("floor/<slug:facility>/locked-tiles", pages.locked_tiles, name="locked-tiles"),
    path("floor/<slug:facility>/wall", pages.wall, name="wall"),
    path("floor/<slug:facility>/wall-tables", pages.wall_tables, name="wall-tables"),
    path("floor/<slug:facility>/dice/", facility.dice, name="dice"),
    path("floor/<slug:facility>/dice-control/", facility.dice_control, name="dice-control"),
    path("floor/<slug:facility>/dice/<code:lot>/", facility.lot, name="dice-lot"),
    path("floor/<slug:facility>/equipment/", facility.equipment, name="equipment"),
    path("floor/<slug:facility>/staff/", facility.staff, name="staff"),
    path("floor/<slug:facility>/acts/<str:act>", acts.facility_act, name="facility-act"),
    path("office/<slug:facility>/acts/<str:act>", acts.office_act, name="office-act"),
    path("floor/<slug:facility>/<code:table>/", pages.table_page, name="table"),
    path("floor/<slug:facility>/<code:table>/console", pages.console, name="console"),
    path("floor/<slug:facility>/<code:table>/relief", relief.relief, name="relief"),
    path("floor/<slug:facility>/<code:table>/correction", corrections.correction, name="correction"),
    path("floor/<slug:facility>/<code:table>/sign/", signs.display, name="sign-display"),
    path("floor/<slug:facility>/<code:table>/screen/sign", signs.screen, name="sign-screen"),
    path("floor/<slug:facility>/<code:table>/sign/<slug:kind>", signs.printed, name="sign-print"),
    path("floor/<slug:facility>/<code:table>/sign/<slug:kind>.pdf", signs.as_pdf, name="sign-pdf"),
    path("floor/<slug:facility>/<code:table>/screen/<slug:station>", pages.screen, name="screen"),
    path("floor/<slug:facility>/<code:table>/rounds", pages.rounds, name="rounds"),
    path("floor/<slug:facility>/<code:table>/rounds/<int:number>/", replay.replay, name="replay"),
    path(
        "floor/<slug:facility>/<code:table>/rounds/<int:number>/dice",
        facility.dice_of_round,
        name="round-dice",
    ),
    path("floor/<slug:facility>/<code:table>/rounds/<int:number>/slip", slips.preview, name="slip-preview"),
    path("floor/<slug:facility>/<code:table>/slips/<int:number>.pdf", slips.as_pdf, name="slip-pdf"),
    path("floor/<slug:facility>/<code:table>/light", pages.light, name="light"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
