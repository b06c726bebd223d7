// The references for the product: the upstream alone, nginx and HAProxy as plain proxies, the minimal proxy on the same
// runtime, and other gateways. Each is one process (or one worker) on the measured core.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from '../../server/test/support/programs/find-binary.ts'
import { type ServerProcess, waitUntilReady, withFreePort } from '../../server/test/support/server-process.ts'
import { measuredCore, startPinned } from '../process.ts'
import { aloneName, type Target } from '../target.ts'
import { agentgateway, litellm, type Peer, portkey } from './peers.ts'

export interface Surroundings {
  upstreamPort: number
  cacheFolder: string
  tokensFile: string
}

interface ReferenceStarter {
  /** Names of needs.ts. */
  need: string[]
  start: (around: Surroundings) => Promise<Target>
}

interface Reference {
  name: string
  about: string
  streams: boolean
  headers?: string[]
  /** Its answers have the upstream's bytes, by default. */
  agreesIn?: Target['agreesIn']
  /** How long it may take until it accepts connections; 20 s by default. */
  startMs?: number
  start(port: number, folder: string): Promise<ServerProcess>
}

export function describeUpstream({ upstreamPort, tokensFile }: Surroundings): Target {
  return {
    name: aloneName,
    about: 'the load generator and the scripted upstream without anything between: the headroom',
    port: upstreamPort,
    pid: null,
    headers: [],
    tokensFile,
    streams: true,
    isGuarded: false,
    agreesIn: 'bytes',
    endpoint: 'chat_completions',
    stop: () => Promise.resolve(),
  }
}

const startNginx = (around: Surroundings): Promise<Target> =>
  startReference(around, {
    name: 'nginx',
    about: 'proxy_pass, keep-alive on both sides, one worker, no access log, no buffering of streams',
    streams: true,
    start: (port, folder) => {
      const file = join(folder, 'nginx.conf')
      writeFileSync(file, nginxConfig(port, around.upstreamPort, folder))
      const command = binary('nginx')
      return startPinned({ core: measuredCore, command, args: ['-p', folder, '-e', 'stderr', '-c', file] })
    },
  })

const startHaproxy = (around: Surroundings): Promise<Target> =>
  startReference(around, {
    name: 'HAProxy',
    about: 'mode http, http-reuse always, http-no-delay, one thread, no log',
    streams: true,
    start: (port, folder) => {
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(file, haproxyConfig(port, around.upstreamPort))
      return startPinned({ core: measuredCore, command: binary('haproxy'), args: ['-db', '-f', file] })
    },
  })

const startBareProxy = (around: Surroundings): Promise<Target> =>
  startReference(around, {
    name: 'bare Node proxy',
    about: 'bench/bare-proxy.ts: node:http and undici dispatch, nothing else',
    streams: true,
    start: port => {
      const args = [
        join(import.meta.dirname, '../bare-proxy.ts'),
        String(port),
        `http://127.0.0.1:${around.upstreamPort}`,
      ]
      return startPinned({ core: measuredCore, command: process.execPath, args })
    },
  })

const startPeer =
  (describe: (around: Surroundings) => Peer) =>
  (around: Surroundings): Promise<Target> =>
    startReference(around, describe(around))

/** By their names in the tables. */
export const references: Record<string, ReferenceStarter> = {
  nginx: { need: ['nginx'], start: startNginx },
  HAProxy: { need: ['HAProxy'], start: startHaproxy },
  'bare Node proxy': { need: [], start: startBareProxy },
  Portkey: { need: [], start: startPeer(portkey) },
  LiteLLM: { need: [], start: startPeer(litellm) },
  agentgateway: { need: [], start: startPeer(agentgateway) },
}

async function startReference({ tokensFile }: Surroundings, reference: Reference): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const { port, server } = await withFreePort(async candidate => {
    const started = await reference.start(candidate, folder)
    await waitUntilReady(started, () => answersOn(candidate), reference.startMs ?? 20_000)
    return { port: candidate, server: started }
  })
  return {
    name: reference.name,
    about: reference.about,
    port,
    pid: server.pid,
    headers: reference.headers ?? [],
    tokensFile,
    streams: reference.streams,
    isGuarded: false,
    agreesIn: reference.agreesIn ?? 'bytes',
    endpoint: 'chat_completions',
    async stop() {
      await server.end('SIGTERM', 3_000)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answersOn(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

function binary(name: string): string {
  const path = findBinary(name)
  if (path === null) throw new Error(`${name} is not installed`)
  return path
}

function nginxConfig(port: number, upstreamPort: number, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `  ${name}_temp_path ${folder}/${name};`)
    .join('\n')
  return `
daemon off;
pid ${folder}/pid;
worker_processes 1;
error_log stderr error;
events { worker_connections 4096; }
http {
${temporary}
  access_log off;
  keepalive_requests 1000000000;
  upstream scripted {
    server 127.0.0.1:${upstreamPort};
    keepalive 512;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / {
      proxy_pass http://scripted;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}

function haproxyConfig(port: number, upstreamPort: number): string {
  return `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
  option http-no-delay
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  server scripted 127.0.0.1:${upstreamPort}
`
}
