# Build an image of acompass without a network, from the zip that `make wheelhouse` writes, the only one in build/:
#
#     make wheelhouse && docker build --tag acompass .
#
# The wheels work with one version of Python: for a zip named cp312, use --build-arg PYTHON=3.12.11.
# A tag can be moved. --build-arg DIGEST=@sha256:… also pins the content of the base image;
# `docker buildx imagetools inspect python:3.11.13-slim-bookworm` prints the digest.
ARG PYTHON=3.11.13
ARG DIGEST=""

FROM python:${PYTHON}-slim-bookworm${DIGEST} AS builder
WORKDIR /wheelhouse
COPY build/acompass-*-wheelhouse-*.zip ./
RUN python -m zipfile --extract acompass-*.zip . \
    && python -m venv /opt/acompass \
    && /opt/acompass/bin/python -m pip install --no-cache-dir --no-index --require-hashes \
        --requirement acompass-*/requirements.txt
# fail the build unless everything in the image works
RUN ["/opt/acompass/bin/acompass", "doctor"]

FROM python:${PYTHON}-slim-bookworm${DIGEST}
LABEL org.opencontainers.image.title="acompass" \
      org.opencontainers.image.description="Check, anonymize, explain and prove tables of people" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=builder /opt/acompass /opt/acompass
# only /tmp and /data are written, so that the rest can be read-only
ENV PATH=/opt/acompass/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    TMPDIR=/tmp \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /data
VOLUME ["/tmp"]
USER 65532:65532
# the container runs one command, so it needs no health check; `docker run acompass doctor` tests the image
HEALTHCHECK NONE
ENTRYPOINT ["acompass"]
CMD ["--help"]
