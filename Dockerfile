# One image for every ragpulse process; the command names which.
#   docker build -t ragpulse .
#   docker run --rm ragpulse --help

FROM python:3.13.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/ragpulse
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY judges judges
COPY sinks sinks
COPY stream stream
COPY console console
RUN /opt/ragpulse/bin/pip install .
# Compile the scorer's kernels now rather than at every start. (Another kind of processor compiles them anew.)
RUN cd / && /opt/ragpulse/bin/python -c "from judges.distilled import load_scorer; load_scorer()"

FROM python:3.13.13-slim
LABEL org.opencontainers.image.title="ragpulse" \
      org.opencontainers.image.description="Online monitor for production RAG" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 ragpulse \
    && useradd --uid 10001 --gid ragpulse --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ragpulse
COPY --from=build /opt/ragpulse /opt/ragpulse
# What a process must remember: who holds which case. A volume that is mounted here belongs to the user below.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/ragpulse
# /metrics, /healthz and /readyz of the process; reach it from other containers, not from the host.
ENV PATH=/opt/ragpulse/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    RAGPULSE_TELEMETRY__HOST=0.0.0.0 \
    RAGPULSE_TELEMETRY__PORT=9464 \
    RAGPULSE_TELEMETRY__LOG_FORMAT=json
USER 10001:10001
WORKDIR /
EXPOSE 9464
# Alive, not ready: a worker that waits for a broker must not be restarted for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ['RAGPULSE_TELEMETRY__PORT']}/healthz\", timeout=2)"]
ENTRYPOINT ["ragpulse"]
CMD ["--help"]
