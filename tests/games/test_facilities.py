"""A house: what it may not be called."""

import pytest
from django.db import IntegrityError, transaction

from games.models import Facility

pytestmark = pytest.mark.django_db


def test_no_house_takes_the_name_of_the_installation_whose_stream_it_would_share():
    with pytest.raises(IntegrityError), transaction.atomic():
        Facility.objects.create(code="installation", name="Installation", jurisdiction="PA")
    Facility.objects.create(code="installation-2", name="Installation 2", jurisdiction="PA")
