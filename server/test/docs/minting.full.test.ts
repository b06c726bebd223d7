// The snippets of docs/guide-mint.md mint a token in each language, and fail when minting fails.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientStage, startClientStage } from '../clients/client-stage.ts'
import { findBinary } from '../support/programs/find-binary.ts'
import { findDeno } from '../support/programs/runtimes.ts'
import { startProcess } from '../support/server-process.ts'
import { fencesOf } from './runners.ts'

interface Language {
  /** The command that runs a program, before the program's path. */
  command: () => (string | null)[]
  file: string
  /** A complete program with the snippet, which prints the response for user-2 as JSON. */
  complete: (snippet: string) => string
}

const goImports = ['bytes', 'encoding/json', 'fmt', 'net/http', 'os'].map(name => `"${name}"`).join('; ')

const languages: Record<string, Language> = {
  python: {
    command: () => [findBinary('python3')],
    file: 'program.py',
    complete: snippet => `${snippet}\nprint(json.dumps(mint("user-2")))\n`,
  },
  go: {
    command: () => [findBinary('go'), 'run'],
    file: 'program.go',
    complete: snippet => `package main
import (${goImports})
${snippet}
func main() {
	token, err := mint("user-2")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(token)
}`,
  },
  php: {
    command: () => [findBinary('php')],
    file: 'program.php',
    complete: snippet => `<?php ${snippet}\necho json_encode(mint('user-2'));\n`,
  },
  ruby: {
    command: () => [findBinary('ruby')],
    file: 'program.rb',
    complete: snippet => `${snippet}\nputs JSON.generate(mint('user-2'))\n`,
  },
  ts: {
    command: () => [findDeno(), 'run', '--no-prompt', '--allow-net', '--allow-env'],
    file: 'program.ts',
    complete: snippet => `${snippet}\nconsole.log(JSON.stringify(await mint('user-2')))\n`,
  },
}

const fences = fencesOf('docs/minting.full.test.ts')
const minted = {
  access_token: expect.stringMatching(/^eyJ/),
  token_type: 'Bearer',
  expires_in: 3600,
  project_id: expect.any(String),
  session_id: expect.any(String),
}

let stage: ClientStage
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-minting-'))
  stage = await startClientStage()
})
afterAll(async () => {
  await stage?.end()
  rmSync(folder, { recursive: true, force: true })
})

const projectUrl = () => stage.projects.openai.baseURL.replace(/\/v1$/, '')

test('the page has a request, and a snippet for each language', () => {
  expect(fences.map(({ language }) => language)).toEqual(['', ...Object.keys(languages)])
})

test('the request as the page writes it', async () => {
  const [head = '', body] = (fences[0]?.code ?? '').split('\n\n')
  const [line = '', ...headerLines] = head.split('\n')
  const [method, address = ''] = line.replace('{project address}', projectUrl()).split(' ')
  const headers = headerLines.map(each => each.split(': ') as [string, string])
  expect(headers[0]).toEqual(['Authorization', 'Bearer service_sk_live_…'])
  headers[0] = ['Authorization', `Bearer ${stage.projects.openai.apiKey}`]
  const response = await fetch(address, { method, headers, body })
  const warning = 'The project has no tier "pro"'
  expect([response.status, await response.json()]).toEqual([200, { ...minted, warning }])
})

describe.each(Object.entries(languages))('%s', (name, { command, file, complete }) => {
  async function runSnippet(apiKey: string) {
    const code = fences.find(({ language }) => language === name)?.code ?? ''
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, file), complete(code))
    const [program, ...args] = command().map(each => each ?? 'not installed')
    const { PATH } = process.env
    const env = { PATH, HOME: folder, SALLYPORT_URL: projectUrl(), SALLYPORT_API_KEY: apiKey }
    const running = await startProcess({
      command: program ?? '',
      args: [...args, file],
      cwd: join(folder, name),
      env,
    })
    return { code: await running.exitCode, stdout: running.stdout(), stderr: running.stderr() }
  }

  test('mints a token', async () => {
    const { code, stdout, stderr } = await runSnippet(stage.projects.openai.apiKey)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(minted)
  })

  test('fails with a wrong key', async () => {
    const { code, stdout, stderr } = await runSnippet(`service_sk_live_${'0'.repeat(32)}`)
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('401')
  })
})
