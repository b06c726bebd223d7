// The report of the guardrails: what they did, and in shadow mode what they would have done in enforce mode.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lastDays } from '../../api/days.ts'
import { formatCount, formatCountOf, formatShare } from '../../ui/numbers.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { nameOfEntity, nameOfFamily, nameOfThreshold } from '../guardrails/names.ts'
import { DayChart, type GuardrailReport } from './day-chart.tsx'
import { DayFields } from './day-fields.tsx'
import { defaultDays, readDays } from './filter.ts'
import { reportQuery } from './queries.ts'

const from = '/app/projects/$projectId/guardrail-report'

export function ReportScreen() {
  const { projectId } = useParams({ from })
  const days = useSearch({ from })
  const navigate = useNavigate({ from })
  const report = useQuery(reportQuery(projectId, days))
  return (
    <Page
      title="Guardrail report"
      lead={
        <>
          What the guardrails did in enforce mode, and would do where they are in shadow mode: both count alike.{' '}
          <a href="/docs/guardrails#report-of-the-last-days">How the report counts</a>
        </>
      }
    >
      <search className="flex flex-wrap items-end gap-4">
        <DayFields
          days={{ ...lastDays(defaultDays), ...days }}
          change={changed => void navigate({ search: readDays({ ...days, ...changed }), replace: true })}
        />
      </search>
      <Loaded query={report} what="the report">
        {data =>
          data.requests === 0 ? (
            <NoRequests report={data} projectId={projectId} />
          ) : (
            <Report report={data} projectId={projectId} />
          )
        }
      </Loaded>
    </Page>
  )
}

interface ReportProps {
  report: GuardrailReport
  projectId: string
}

function NoRequests({ report, projectId }: ReportProps) {
  return (
    <Empty title={`No requests from ${report.from} to ${report.to}`}>
      <p>
        Set the guardrails to shadow mode and deploy; after some days of requests the report says what enforcing does.
      </p>
      <Link to="/app/projects/$projectId/guardrails" params={{ projectId }}>
        Go to the guardrails
      </Link>
    </Empty>
  )
}

function Report({ report, projectId }: ReportProps) {
  const { requests, would_block: blocked, would_mask: masked, users_touched: users } = report
  return (
    <>
      <p className="max-w-2xl text-lg">
        {`${formatCount(blocked)} of ${formatCountOf(requests, 'request')} (${formatShare(blocked, requests)}) were rejected, or would be in enforce mode, and ${formatCount(masked)} more (${formatShare(masked, requests)}) masked or redacted, of ${formatCountOf(users, 'end user')}.`}
      </p>
      <DayChart report={report} />
      <div className="grid gap-8 md:grid-cols-2">
        <Section title="By type of personal data">
          <CountTable
            caption="Requests by type"
            title="Type"
            counts={report.by_type}
            nameOf={nameOfEntity}
            of={requests}
          />
        </Section>
        <Section title="By family of attacks">
          <CountTable
            caption="Requests by family"
            title="Attempt"
            counts={report.by_family}
            nameOf={nameOfFamily}
            of={requests}
          />
        </Section>
      </div>
      <Section title="By Sentinel threshold">
        <p className="text-soft">
          {`Requests with an attack that each threshold would block. ${formatCountOf(report.flagged, 'request')} with the threshold of the day ${report.flagged === 1 ? 'was' : 'were'} only flagged.`}
        </p>
        <CountTable
          caption="Requests by threshold"
          title="Threshold"
          counts={report.by_threshold}
          nameOf={nameOfThreshold}
          of={requests}
        />
      </Section>
      <p className="flex flex-wrap gap-x-6 gap-y-2">
        <Link
          to="/app/projects/$projectId/guardrail-events"
          params={{ projectId }}
          search={{ from: report.from, to: report.to }}
        >
          The events of these days
        </Link>
        <Link to="/app/projects/$projectId/guardrails" params={{ projectId }}>
          Change the guardrails
        </Link>
      </p>
    </>
  )
}

interface CountTableProps {
  caption: string
  /** What is counted. */
  title: string
  counts: Record<string, number>
  nameOf: (name: string) => string
  of: number
}

function CountTable({ caption, title, counts, nameOf, of }: CountTableProps) {
  return (
    <Table
      caption={caption}
      isSmall
      columns={[
        { title, cell: ([name]) => nameOf(name) },
        { title: 'Requests', isNumber: true, cell: ([, count]) => `${formatCount(count)} (${formatShare(count, of)})` },
      ]}
      rows={Object.entries(counts)}
      keyOf={([name]) => name}
      empty={<p className="text-soft">None in these days.</p>}
    />
  )
}
