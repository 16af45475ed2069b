# syntax=docker/dockerfile:1
# See docs/install.md, "Get the program". .ci/smoke-image tests these steps without Docker.

ARG NODE=22-bookworm-slim@sha256:48e4b67d85f87bd551df43704e24d252f56cc5f8e9718841aace50f19948f0f9

FROM node:${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# `--lay-out` makes dist a directory: COPY would copy the link that a plain build makes.
RUN npm run build -- --lay-out
# Only what the service needs at run time. Source maps and type declarations were 21 of 77 MB.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && find dist node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

FROM node:${NODE}
# tini forwards signals and reaps children: the service reads copies of its database in a child process.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/assets assets
COPY --from=build /build/bin bin
COPY --from=build /build/migrations migrations
COPY --from=build /build/dist dist
RUN ln -s /app/bin/greenroom.cjs /usr/local/bin/greenroom \
 && install -d -m 0700 -o node -g node /data /backups
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=64 \
    HOST=0.0.0.0 PORT=8080 DATA_DIR=/data/greenroom MEDIA_DIR=/data/media BACKUP_DIR=/backups
USER node
# Put backups on a different disk from the data, and set BACKUP_PASSPHRASE_FILE (docs/backup.md).
VOLUME ["/data", "/backups"]
EXPOSE 8080
# Run with `--stop-timeout 60`, so that DRAIN_MS, STOP_TIMEOUT_MS and the publisher's step end before the kill.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "greenroom"]
CMD ["serve"]
