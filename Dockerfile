# The image that the Helm chart runs: one program without a base image. This file is in the top
# folder, because the whole workspace is the build context.
#
#   docker build --tag registry.example/riposte:0.1.0 .        (or: podman build, buildah build)
#
# It has no shell, no package manager and only a numeric user. The second stage contains the system
# files that the program needs: the C library that it is linked with, and the public certificate
# authorities for https:// and rediss://. It contains nothing that the program may write to.
#
# Where no image registry can be reached, BASE names a locally built image: see docs/install.md.
ARG RUST=1.95.0
ARG BASE=docker.io/library/rust:${RUST}-bookworm
FROM ${BASE} AS build
ARG RUST
# The compiler's optimisation level and link-time optimisation; use 0 and off only for a quick test of
# the stages.
ARG OPTIMISE=3
ARG LTO=fat
ENV RUSTUP_TOOLCHAIN=${RUST} CARGO_PROFILE_DIST_OPT_LEVEL=${OPTIMISE} CARGO_PROFILE_DIST_LTO=${LTO}
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked --package riposte \
 && mkdir -p /image/etc/ssl/certs \
 && cp target/dist/riposte /image/riposte \
 && strip /image/riposte \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && ldd /image/riposte | grep -o '/[^ ]*' | sort -u | xargs -I{} cp --parents --dereference {} /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
# Public services, administration, metrics. `serve` listens on all interfaces for the first only;
# see docs/install.md.
EXPOSE 7171 7172 7173
ENTRYPOINT ["/riposte"]
CMD ["serve"]
