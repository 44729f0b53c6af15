# The base image by its digest, if PYTHON_IMAGE names one (docs/deployment.md).
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE} AS packages
COPY requirements/base.txt requirements/traces.txt /requirements/
# Anything for traces, such as where they are sent; nobody else needs their packages (docs/operation.md#traces).
ARG PITSIDE_TRACES=
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes --requirement /requirements/base.txt \
    ${PITSIDE_TRACES:+--requirement /requirements/traces.txt}

FROM ${PYTHON_IMAGE}
ARG PITSIDE_BUILD=dev
ENV PITSIDE_BUILD=$PITSIDE_BUILD \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
RUN useradd --system --no-create-home --shell /usr/sbin/nologin pitside
COPY --from=packages /venv /venv
WORKDIR /pitside
COPY . .
# The settings refuse to start without addresses; none of these is kept in the image or ever called.
RUN SECRET_KEY=only-while-the-static-files-are-collected-never-at-run-time \
    DATABASE_URL=postgres://nobody@/none REDIS_URL=redis://none ALLOWED_HOSTS=none \
    python manage.py collectstatic --noinput
# Nothing can be written there at run time, so each start and each health check would compile all of it again.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash /pitside /venv
# A volume that is made here belongs to whom its place belonged to.
RUN install -d -o pitside -m 0700 /var/lib/pitside/sealer /var/lib/pitside/copies \
    /var/lib/pitside/exports
USER pitside
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host=0.0.0.0", "--port=8000", "--ws=websockets-sansio", "--ws-per-message-deflate=false", "--timeout-graceful-shutdown=5"]
