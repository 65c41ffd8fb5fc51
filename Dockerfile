# The image that the Helm chart runs: one program on nothing. It lies at the top, because the whole workspace is its context.
#
#   docker build --tag registry.example/riposte:0.1.0 .        (or: podman build, buildah build)
#
# No shell, no package manager, no user but a number. What the program needs of a system is in the second stage: the C
# library that it is linked with, the public authorities for https:// and rediss://, and nothing that it may write to.
#
# Where no registry of images is reached, BASE names one that was made on the machine: docs/install.md shows how.
ARG RUST=1.95.0
ARG BASE=docker.io/library/rust:${RUST}-bookworm
FROM ${BASE} AS build
ARG RUST
# How much the compiler does; 0 tries the stages quickly and is for nothing else.
ARG OPTIMISE=3
ENV RUSTUP_TOOLCHAIN=${RUST} CARGO_PROFILE_RELEASE_OPT_LEVEL=${OPTIMISE}
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package riposte \
 && mkdir -p /image/etc/ssl/certs \
 && cp target/release/riposte /image/riposte \
 && strip /image/riposte \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && ldd /image/riposte | grep -o '/[^ ]*' | sort -u | xargs -I{} cp --parents --dereference {} /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
# Public services, administration, metrics. `serve` listens to all of the first only; see docs/install.md.
EXPOSE 7171 7172 7173
ENTRYPOINT ["/riposte"]
CMD ["serve"]
