// Coding agents that tests start as their users do: Claude Code and Codex, from npm, in a folder of their own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findNpmProgram, type NpmProgram } from './npm-program.ts'
import { forThisPlatform } from './runtimes.ts'

export const claudeCodeProgram = forThisPlatform('claude', {
  'linux-x64': [
    {
      name: '@anthropic-ai/claude-code-linux-x64',
      version: '2.1.330',
      integrity: 'sha512-9Gn+V7DtJ8M1nztP9CeDVl9g3RtrepI7rOFTyPRRnZe8D6zebIHKmC7OvBauucuAP0X0k85SDN/LPVZyjsGezQ==',
      bin: { claude: 'claude' },
    },
  ],
  'linux-arm64': [
    {
      name: '@anthropic-ai/claude-code-linux-arm64',
      version: '2.1.330',
      integrity: 'sha512-V4yanAY5EA5UpwwRPtjSfqDbNqAlUJeVn3NYZw2AgmRHjdpSsLtHAzbxRXfkAnbjwTXzE0uedjQxUY02ARPcsA==',
      bin: { claude: 'claude' },
    },
  ],
})

export const codexProgram = forThisPlatform('codex', {
  'linux-x64': [
    {
      name: '@openai/codex',
      version: '0.169.0-linux-x64',
      integrity: 'sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww==',
      bin: { codex: 'vendor/x86_64-unknown-linux-musl/bin/codex' },
    },
  ],
  'linux-arm64': [
    {
      name: '@openai/codex',
      version: '0.169.0-linux-arm64',
      integrity: 'sha512-NZ/DaQUpcQmxmqee7Z9uC1rzw3GhSbooawcaTe1LN5Yk+WlinUKGdTXJgClRT/9ogQEEM9TWxYzvxPfj5G/xFg==',
      bin: { codex: 'vendor/aarch64-unknown-linux-musl/bin/codex' },
    },
  ],
})

export const findClaudeCode = () => find(claudeCodeProgram)
export const findCodex = () => find(codexProgram)

function find(program: NpmProgram | null): string | null {
  return program === null ? null : findNpmProgram(program)
}

export interface AgentRun {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** Until the test ends; the agent's home and its working folder. */
export function makeAgentFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const maxRunMs = 240_000

/** Without this process's environment, which may have keys and settings of its own. */
export function runAgent(
  command: string,
  args: readonly string[],
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<AgentRun> {
  const { promise, resolve, reject } = Promise.withResolvers<AgentRun>()
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const agent = spawn(command, args, {
    cwd: folder,
    env: { HOME: folder, PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxRunMs,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  agent.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  agent.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  agent.once('error', reject)
  agent.once('close', exitCode => resolve({ exitCode, stdout, stderr }))
  return promise
}
