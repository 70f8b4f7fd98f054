# The web app (docs/serve.md). The first stage builds the native core and the wheel, the second only installs them.
FROM rust:1-slim-bookworm AS core
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv python3-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN python3 -m venv /build && /build/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /wheels ./core .

FROM python:3.11-slim-bookworm
COPY requirements/site.txt /tmp/site.txt
COPY --from=core /wheels /wheels
RUN pip install --no-cache-dir --require-hashes -r /tmp/site.txt \
    && pip install --no-cache-dir --no-deps /wheels/*.whl \
    && rm -rf /wheels /tmp/site.txt \
    && useradd --system --create-home --home-dir /data --shell /usr/sbin/nologin steelyard
USER steelyard
WORKDIR /data
VOLUME /data
ENV STEELYARD_STORE=/data/sites.sqlite PYTHONDONTWRITEBYTECODE=1
EXPOSE 8377
HEALTHCHECK --interval=30s --timeout=5s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/healthz', timeout=4)"]
# Listening on all addresses of the container needs STEELYARD_TOKEN or --token-file.
ENTRYPOINT ["steelyard", "serve", "--host", "0.0.0.0"]
