# The command `steelyard`, which serves the web app unless it is told something else (docs/serve.md). The first stage
# builds the native core and the wheel, the second only installs them.
# Both bases are named by digest and every package by hash: a tag or an index that serves something else changes nothing.
FROM rust:1.98.0-slim-bookworm@sha256:94e9efa4033213dbb70d4f665527e7ece3944ddb7ba1dd2e43f6fd6e2490af58 AS core
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv python3-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY requirements/setup.txt requirements/core.txt /tmp/
RUN python3 -I -m venv /build \
    && /build/bin/python -I -m pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/setup.txt -r /tmp/core.txt
COPY . .
# The build back ends are those of the locks; maturin's looks for its own program on the PATH.
RUN PATH="/build/bin:$PATH" \
    /build/bin/python -I -m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels ./core .

FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
COPY requirements/site.txt /tmp/site.txt
COPY --from=core /wheels /wheels
RUN python -I -m pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/site.txt \
    && python -I -m pip install --no-cache-dir --no-deps --no-index /wheels/*.whl \
    && rm -rf /wheels /tmp/site.txt \
    && useradd --system --create-home --home-dir /data --shell /usr/sbin/nologin steelyard
USER steelyard
WORKDIR /data
VOLUME /data
ENV STEELYARD_STORE=/data/sites.sqlite PYTHONDONTWRITEBYTECODE=1
EXPOSE 8377
HEALTHCHECK --interval=30s --timeout=5s CMD ["python", "-I", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/healthz', timeout=4)"]
# Listening on all addresses of the container needs STEELYARD_TOKEN or --token-file.
ENTRYPOINT ["steelyard"]
CMD ["serve", "--host", "0.0.0.0"]
