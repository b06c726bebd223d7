// Every fence of the documentation is run by a test, or is listed here with the reason why none runs it.
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkout, type Fence, readFences } from './fences.ts'
import { isRunBy, type Runner, runners } from './runners.ts'

interface NotRun {
  page: string
  /** The fence's first line. */
  firstLine: string
  reason: string
}

const notRun: NotRun[] = [
  { page: 'ARCHITECTURE.md', firstLine: 'top      main.ts', reason: 'a picture' },
  {
    page: 'docs/access.md',
    firstLine: '{ "permissions"',
    reason: 'a body; management/people/roles.test.ts sends such',
  },
  {
    page: 'docs/access.md',
    firstLine: 'POST /auth/v1/tenants',
    reason: 'a request; management/people/service-accounts.test.ts sends such',
  },
  { page: 'docs/audit.md', firstLine: '{', reason: 'an entry; management/audit/every-route.full.test.ts reads such' },
  { page: 'docs/audit.md', firstLine: 'sallyport audit verify', reason: 'management/audit/audit.test.ts runs it' },
  { page: 'docs/cli.md', firstLine: 'sallyport login', reason: 'cli/test runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport export', reason: 'cli/test/files.full.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport apply --watch', reason: 'cli/test/watch.full.test.ts runs such' },
  {
    page: 'docs/cli.md',
    firstLine: 'apiVersion: apps/v1',
    reason: 'needs a cluster; cli/test/watch.full.test.ts runs its command',
  },
  { page: 'docs/cli.md', firstLine: 'managed_by: file', reason: 'cli/test/files.full.test.ts applies such' },
  { page: 'docs/cli.md', firstLine: 'sallyport prompts pull', reason: 'cli/test/prompts.full.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'name: Sallyport', reason: 'a workflow, which needs GitHub' },
  { page: 'docs/cli.md', firstLine: 'sallyport import', reason: 'cli/test/imports.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport meter set', reason: 'cli/test/meter.full.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport doctor', reason: 'cli/test/doctor.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport completion', reason: 'cli/test/doctor.test.ts runs such' },
  { page: 'docs/cli.md', firstLine: 'sallyport token', reason: 'cli/test/login.test.ts runs such' },
  { page: 'docs/benchmarks.md', firstLine: 'npm run bench  ', reason: 'measures for up to ten minutes' },
  { page: 'docs/benchmarks.md', firstLine: 'node bench/attack.ts', reason: 'options, and a minute of load' },
  {
    page: 'docs/anonymous-users.md',
    firstLine: '{ "anonymous"',
    reason: 'a body; management/anonymous/anonymous.test.ts sends such',
  },
  {
    page: 'docs/anonymous-users.md',
    firstLine: 'import { anonymousTokens',
    reason: 'part of a page; sdk/test/anonymous-tokens.test.ts runs such',
  },
  {
    page: 'docs/anonymous-users.md',
    firstLine: 'curl -sS "$base',
    reason: 'needs a proof; management/anonymous/anonymous.test.ts sends such',
  },
  { page: 'docs/cache.md', firstLine: '{', reason: 'a body; inference/answer-cache.test.ts sends such' },
  {
    page: 'docs/custom-providers.md',
    firstLine: '{',
    reason: 'a body; management/custom-providers.test.ts sends such',
  },
  {
    page: 'docs/money.md',
    firstLine: '{\n  "model"',
    reason: 'a body; management/tenant-prices.test.ts sends such',
  },
  { page: 'docs/money.md', firstLine: '{ "budgets"', reason: 'a body; inference/budgets.test.ts sends such' },
  {
    page: 'docs/money.md',
    firstLine: '{\n  "budgets"',
    reason: 'a response; inference/spent-budgets.test.ts reads such',
  },
  { page: 'docs/deployment.md', firstLine: 'docker build', reason: 'needs a container engine' },
  { page: 'docs/deployment.md', firstLine: 'cd deploy/compose', reason: 'needs a container engine' },
  { page: 'docs/deployment.md', firstLine: 'cp deploy/kubernetes', reason: 'needs a cluster' },
  {
    page: 'docs/deployment.md',
    firstLine: 'npx sallyport ',
    reason: 'the published package; packaging/sallyport-command.test.ts runs each command of the packed one',
  },
  { page: 'docs/deployment.md', firstLine: 'kubectl create namespace', reason: 'needs a cluster' },
  { page: 'docs/deployment.md', firstLine: 'npm audit signatures', reason: 'needs the published packages' },
  {
    page: 'docs/dns.md',
    firstLine: 'include "/etc/bind',
    reason: 'a part of /etc/bind; dns/rfc2136.test.ts runs BIND',
  },
  { page: 'docs/dns.md', firstLine: 'acl:', reason: 'configuration of Knot, which no test starts' },
  { page: 'docs/dns.md', firstLine: '{', reason: 'a policy for Amazon’s service' },
  { page: 'docs/errors.md', firstLine: 'def message_of', reason: 'needs the openai package of Python' },
  { page: 'docs/errors.md', firstLine: 'func messageOf', reason: 'needs the openai package of Go' },
  { page: 'docs/errors.md', firstLine: 'const messageOf', reason: 'one line of the SDK’s readErrorWords' },
  { page: 'docs/embeddings.md', firstLine: 'import OpenAI', reason: 'clients/embeddings.test.ts calls such' },
  { page: 'docs/guardrails.md', firstLine: 'npm run guardrails:eval -- [', reason: 'options, not a command' },
  {
    page: 'docs/guardrails.md',
    firstLine: 'npm run guardrails:eval -- --public',
    reason: 'reads files of the machine',
  },
  {
    page: 'docs/guardrails.md',
    firstLine: '{\n  "pii_mode"',
    reason: 'a body; inference/guard-types.test.ts sends such',
  },
  { page: 'docs/guardrails.md', firstLine: '{ "text"', reason: 'a body; inference/try-guardrails.test.ts sends such' },
  { page: 'docs/guide-claude-code.md', firstLine: 'sallyport login', reason: 'starts Claude Code' },
  {
    page: 'docs/guide-claude-code.md',
    firstLine: 'sallyport requests',
    reason: 'cli/test/commands.full.test.ts runs such',
  },
  { page: 'docs/guide-codex.md', firstLine: 'model = ', reason: 'configuration of Codex, which no test starts' },
  { page: 'docs/guide-codex.md', firstLine: 'SALLYPORT_CODEX_TOKEN=', reason: 'starts Codex' },
  { page: 'docs/guide-ollama.md', firstLine: 'OUTBOUND_ALLOW', reason: 'starts the product on its fixed port' },
  { page: 'docs/guide-ollama.md', firstLine: '# Only tenants', reason: 'needs Ollama' },
  {
    page: 'docs/guide-ollama.md',
    firstLine: 'send PUT',
    reason: 'needs Ollama; inference/custom-providers.test.ts sends the same to a scripted server',
  },
  { page: 'docs/guide-react.md', firstLine: 'mkdir chat', reason: 'installs what examples/react names' },
  { page: 'docs/guide-react.md', firstLine: 'SALLYPORT_URL', reason: 'examples/react.full.test.ts starts the same' },
  { page: 'docs/react.md', firstLine: 'npm install', reason: 'installs; packaging/package-contents.test.ts packs it' },
  {
    page: 'docs/python.md',
    firstLine: 'pip install',
    reason: 'installs; packaging/package-contents.test.ts runs a wheel',
  },
  { page: 'docs/python.md', firstLine: 'from fastapi', reason: 'needs the fastapi package of Python' },
  { page: 'docs/python.md', firstLine: 'from openai', reason: 'needs the openai package of Python' },
  { page: 'docs/python.md', firstLine: 'from anthropic', reason: 'needs the anthropic package of Python' },
  { page: 'docs/requests.md', firstLine: '{', reason: 'a body; worker/watch-requests.test.ts has such alerts' },
  { page: 'docs/routing.md', firstLine: '{', reason: 'a body; inference/routing.test.ts sends such' },
  {
    page: 'docs/second-factors.md',
    firstLine: '{',
    reason: 'an answer; management/factors/sign-in.test.ts reads such',
  },
  { page: 'docs/single-sign-on.md', firstLine: '{', reason: 'a body; management/sso/sign-in.test.ts sends such' },
  { page: 'docs/observability.md', firstLine: 'scrape_configs:', reason: 'configuration of Prometheus' },
  { page: 'docs/operations.md', firstLine: 'npm ci && npm start', reason: 'README’s command, which is run' },
  { page: 'docs/providers.md', firstLine: 'describeProtocol(', reason: 'a line of a test file' },
]

const patterns = ['*.md', 'docs/**/*.md', 'sdk/*.md', 'react/*.md', 'python/*.md', 'examples/*/*.md']
const pages = globSync(patterns, { cwd: checkout }).sort()
const fences = pages.flatMap(page => readFences(page))
const names = Object.keys(runners) as Runner[]

const isListed = ({ page, firstLine }: NotRun, fence: Fence) => fence.page === page && fence.code.startsWith(firstLine)

test('every fence is run, or listed as not run, and not both', () => {
  expect(fences.length).toBeGreaterThan(50)
  const count = (fence: Fence) =>
    Math.min(1, names.filter(name => isRunBy(name, fence)).length) + notRun.filter(each => isListed(each, fence)).length
  const wrong = fences.filter(fence => count(fence) !== 1)
  expect(wrong.map(({ page, section, code }) => `${page}, ${section}: ${code.split('\n')[0]}`)).toEqual([])
})

test('the lists name no fence that is gone', () => {
  expect(notRun.filter(each => fences.filter(fence => isListed(each, fence)).length !== 1)).toEqual([])
  const gone = names.flatMap(name => runners[name].filter(row => !fences.some(fence => fence.page === row.page)))
  expect(gone).toEqual([])
})
