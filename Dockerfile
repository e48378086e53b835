# The images of headgate. `docker build .` makes the one without a shell; `docker build --target tools .` makes the one with programs for
# scripts, agents and comments on GitHub. The list of contents is that of every other package (tools/ship/contents.ts).

ARG NODE=docker.io/library/node:24.21.0-bookworm-slim
ARG DEBIAN=docker.io/library/debian:bookworm-slim

FROM ${NODE} AS build
WORKDIR /src
COPY . .
ARG SOURCE_DATE_EPOCH=0
RUN apt-get update -qq && npm ci --no-audit --no-fund && npm run -s build \
 && npm run -s ship -- image-root --out /out --node-home /usr/local && mv /out/image/* /

FROM ${DEBIAN} AS tools
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends bash ca-certificates git gh jq libstdc++6 python3 tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 headgate && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home headgate \
 && mkdir --mode=1777 /data
COPY --from=build /app/ /
ENV HEADGATE_HOME=/data
WORKDIR /data
VOLUME /data
EXPOSE 8644
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["/usr/bin/headgate", "gateway", "health"]
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/bin/headgate"]
CMD ["gateway", "run", "--host", "0.0.0.0"]

FROM scratch AS headgate
COPY --from=build /debian/ /
COPY --from=build /app/ /
ENV HEADGATE_HOME=/data
WORKDIR /data
VOLUME /data
EXPOSE 8644
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["/usr/bin/headgate", "gateway", "health"]
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/bin/headgate"]
CMD ["gateway", "run", "--host", "0.0.0.0"]
