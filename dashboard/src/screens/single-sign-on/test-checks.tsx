// What a test of an issuer found, step by step.
import { Badge } from '../../ui/badge.tsx'
import type { TestResult } from './connection.ts'

type Check = TestResult['checks'][number]

const labels: Record<string, string> = {
  discovery: 'Discovery document',
  code_flow: 'Sign-in by code',
  keys: 'Keys',
  client: 'Client id and secret',
  refresh: 'Hourly check of sessions',
}
const outcomes = {
  passed: { tone: 'good', label: 'Works' },
  warning: { tone: 'warn', label: 'Works, with a limit' },
  failed: { tone: 'danger', label: 'Does not work' },
  skipped: { tone: 'neutral', label: 'Not tried' },
} as const

export function TestChecks({ result }: { result: TestResult }) {
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="font-medium">
        {result.ok
          ? 'The test found nothing that stops a sign-in.'
          : 'A sign-in would fail. Change what does not work:'}
      </p>
      <ul className="flex flex-col gap-2">
        {result.checks.map(check => (
          <CheckRow key={check.name} check={check} />
        ))}
      </ul>
    </div>
  )
}

function CheckRow({ check: { name, outcome, detail } }: { check: Check }) {
  const { tone, label } = outcomes[outcome]
  return (
    <li className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        {labels[name] ?? name} <Badge tone={tone}>{label}</Badge>
      </span>
      {detail !== '' && (
        <span dir="auto" className="text-sm text-soft wrap-anywhere">
          {detail}
        </span>
      )}
    </li>
  )
}
