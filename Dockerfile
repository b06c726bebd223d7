# One image for all roles. Build: docker build -t sallyport .   Run: docker run -p 8080:8080 -v sallyport:/data sallyport
# The Node that runs the product comes with its packages; the one of the first stages only installs and builds.
FROM node:26-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY react/package.json react/
COPY dashboard/package.json dashboard/
COPY cli/package.json cli/
RUN npm ci --omit=dev

# Its files are the same on every platform.
FROM --platform=$BUILDPLATFORM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.base.json ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY react/package.json react/
COPY dashboard/package.json dashboard/
COPY cli/package.json cli/
RUN npm ci
COPY server/build server/build
COPY server/src server/src
COPY sdk sdk
COPY react react
COPY dashboard dashboard
COPY cli cli
RUN node server/build/ensure-built.js

FROM debian:bookworm-slim
# What the Node among the packages is linked against. Providers and identity providers are reached by HTTPS.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates libatomic1 libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 sallyport \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin sallyport \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE NOTICE ./
COPY server/package.json server/node.sh server/start.js server/
COPY docs docs
COPY --from=build /app/server/dist server/dist
COPY --from=build /app/dashboard/dist dashboard/dist
COPY --from=build /app/cli/dist cli/dist
ENV HOST=0.0.0.0 DATA_DIR=/data PROCESSES=auto
USER 10001:10001
VOLUME /data
EXPOSE 8080
# Nothing is written outside /data: the root file system may be read-only.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["sh", "server/node.sh", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["sh", "server/node.sh", "server/start.js", "start"]
