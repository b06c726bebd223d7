# One image for all roles. Build: docker build -t sallyport .   Run: docker run -p 8080:8080 -v sallyport:/data sallyport
# The Node that runs the product comes with its packages; the one of the first stage only installs them.
FROM node:24-bookworm-slim AS install
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY dashboard/package.json dashboard/
RUN npm ci --omit=dev --ignore-scripts

FROM debian:bookworm-slim
# What the Node among the packages is linked against. Providers and identity providers are reached by HTTPS.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates libatomic1 libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 sallyport \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin sallyport \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
WORKDIR /app
COPY --from=install /app/node_modules node_modules
COPY package.json LICENSE NOTICE ./
COPY server/package.json server/node.sh server/loader.js server/
COPY server/src server/src
COPY docs docs
COPY dashboard/dist dashboard/dist
COPY sdk/package.json sdk/
COPY sdk/src sdk/src
# The root file system may be read-only later: the sources are stripped of their types now.
RUN sh server/node.sh --disable-warning=ExperimentalWarning server/loader.js
ENV HOST=0.0.0.0 DATA_DIR=/data PROCESSES=auto MALLOC_TRIM_THRESHOLD_=131072 MALLOC_ARENA_MAX=2
USER 10001:10001
VOLUME /data
EXPOSE 8080
# Nothing is written outside /data: the root file system may be read-only.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["sh", "server/node.sh", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["sh", "server/node.sh", "--max-semi-space-size=8", "--heap-growing-percent=50", "--no-allocation-site-pretenuring", "--no-incremental-marking", "--no-memory-pool", "--import=./server/loader.js", "server/src/main.ts"]
