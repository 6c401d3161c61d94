# syntax=docker/dockerfile:1
# The server with the embedded page, built as by `cargo xtask play`. docs/server.md explains how to run it.

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src
COPY . .
ARG COMMIT=""
ENV TEXAS42_COMMIT=$COMMIT TEXAS42_WEB_DIST=/src/target/web-dist
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo xtask bundle \
    && cargo build --release --locked --package texas42-cli \
    && cp target/release/texas42 /usr/local/bin/texas42

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 4242 --user-group --no-create-home texas42 \
    && install --directory --owner texas42 --group texas42 --mode 0700 /data
COPY --from=build /usr/local/bin/texas42 /usr/local/bin/texas42
USER 4242:4242
ENV TEXAS42_LISTEN=0.0.0.0:4242 TEXAS42_DATA=/data
VOLUME /data
EXPOSE 4242
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s \
    CMD ["curl", "--fail", "--silent", "--output", "/dev/null", "http://127.0.0.1:4242/healthz"]
ENTRYPOINT ["texas42"]
CMD ["serve"]
