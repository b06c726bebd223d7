// Other gateways for language models, beside which the suite `peers` measures the product. None is a dependency: two
// are installed into the bench's cache, and one is a program that the environment names. A peer that cannot be
// installed here is reported as not measured.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerProcess } from '../../server/test/support/server-process.ts'
import { measuredCore, startPinned } from '../process.ts'

const portkeyVersion = '1.15.2'
const litellmVersion = '1.80.0'

export interface Peer {
  name: string
  about: string
  streams: boolean
  headers?: string[]
  agreesIn: 'words' | 'nothing'
  /** How long it may take until it accepts connections. */
  startMs: number
  start(port: number, folder: string): Promise<ServerProcess>
}

export interface PeerSurroundings {
  upstreamPort: number
  cacheFolder: string
}

export const portkey = ({ upstreamPort, cacheFolder }: PeerSurroundings): Peer => ({
  name: 'Portkey',
  about: `@portkey-ai/gateway ${portkeyVersion} from npm, bare proxying by its custom-host headers; as published it answers every stream with 500`,
  streams: false,
  headers: ['x-portkey-provider: openai', `x-portkey-custom-host: http://127.0.0.1:${upstreamPort}/v1`],
  // It serialises the JSON again, and its answers are measured unchanged.
  agreesIn: 'nothing',
  startMs: 20_000,
  start: port => {
    const program = join(installPortkey(cacheFolder), 'build/start-server.js')
    return startPinned({
      core: measuredCore,
      command: process.execPath,
      args: [program, `--port=${port}`, '--headless'],
      env: { NODE_ENV: 'production' },
    })
  },
})

export const litellm = ({ upstreamPort, cacheFolder }: PeerSurroundings): Peer => ({
  name: 'LiteLLM',
  about: `litellm ${litellmVersion} from PyPI, its proxy with one worker and one model, no database, no key`,
  streams: true,
  agreesIn: 'words',
  startMs: 90_000,
  start: (port, folder) => {
    const file = join(folder, 'litellm.json')
    // YAML reads JSON.
    writeFileSync(file, JSON.stringify(litellmConfig(upstreamPort)))
    return startPinned({
      core: measuredCore,
      command: join(installLitellm(cacheFolder), 'bin/litellm'),
      args: ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR', HOME: folder },
    })
  },
})

/**
 * The program that `AGENTGATEWAY` names, with the configuration file that `AGENTGATEWAY_CONFIG` names. In that file,
 * `{port}` and `{upstream_port}` stand for the two ports of this run.
 */
export const agentgateway = ({ upstreamPort }: PeerSurroundings): Peer => {
  const { AGENTGATEWAY: command, AGENTGATEWAY_CONFIG: config } = process.env
  return {
    name: 'agentgateway',
    about: `${command ?? 'the program'} with the configuration ${config ?? 'of the environment'}`,
    streams: true,
    agreesIn: 'words',
    startMs: 20_000,
    start: async (port, folder) => {
      if (!command || !config) throw new Error('AGENTGATEWAY and AGENTGATEWAY_CONFIG name no program and no file')
      const file = join(folder, 'agentgateway.yaml')
      const text = readFileSync(config, 'utf8')
      writeFileSync(file, text.replaceAll('{port}', String(port)).replaceAll('{upstream_port}', String(upstreamPort)))
      return await startPinned({ core: measuredCore, command, args: ['-f', file] })
    },
  }
}

function litellmConfig(upstreamPort: number): object {
  const upstream = { model: 'openai/gpt-4o-mini', api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: 'sk-bench' }
  return {
    model_list: [{ model_name: 'gpt-4o-mini', litellm_params: upstream }],
    litellm_settings: { telemetry: false },
  }
}

/** Returns the folder of the package. */
function installPortkey(cacheFolder: string): string {
  const folder = join(cacheFolder, `portkey-${portkeyVersion}`)
  const installed = join(folder, 'node_modules/@portkey-ai/gateway')
  if (!existsSync(join(installed, 'build/start-server.js'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
    execFileSync('npm', [...args, `@portkey-ai/gateway@${portkeyVersion}`], { cwd: folder, stdio: 'pipe' })
  }
  return installed
}

/** Returns the folder of the Python environment. */
function installLitellm(cacheFolder: string): string {
  const folder = join(cacheFolder, `litellm-${litellmVersion}`)
  if (!existsSync(join(folder, 'bin/litellm'))) {
    const isRecent = 'import sys; sys.exit(sys.version_info < (3, 10))'
    const python = ['python3.13', 'python3.12', 'python3.11', 'python3'].find(name => runs(name, ['-c', isRecent]))
    if (python === undefined) throw new Error('no Python from 3.10 on')
    mkdirSync(cacheFolder, { recursive: true })
    execFileSync(python, ['-m', 'venv', folder], { stdio: 'pipe' })
    const args = ['install', '--quiet', '--retries=0', '--timeout=15', `litellm[proxy]==${litellmVersion}`]
    if (!runs(join(folder, 'bin/pip'), args))
      throw new Error('PyPI has no package for this machine, or is out of reach')
  }
  return folder
}

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
