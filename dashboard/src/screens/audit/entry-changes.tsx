// What an act changed, field by field: before and after.
import type { AuditEntry } from './queries.ts'

export function EntryChanges({ entry: { before, after, reason } }: { entry: AuditEntry }) {
  if (reason !== null) return <>Refused: {reason}</>
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (fields.length === 0) return <span className="text-soft">None</span>
  return (
    <details className="relative">
      <summary className="cursor-pointer">{fields.length === 1 ? fields[0] : `${fields.length} fields`}</summary>
      <dl className="mt-2 grid gap-2">
        {fields.map(field => (
          <div key={field}>
            <dt className="text-sm text-soft">{field}</dt>
            {before !== null && field in before && (
              <dd>
                <del className="text-danger no-underline">
                  <span aria-hidden="true">− </span>
                  <span className="sr-only">before: </span>
                  <Value value={before[field]} />
                </del>
              </dd>
            )}
            {after !== null && field in after && (
              <dd>
                <ins className="text-good no-underline">
                  <span aria-hidden="true">+ </span>
                  <span className="sr-only">after: </span>
                  <Value value={after[field]} />
                </ins>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </details>
  )
}

function Value({ value }: { value: unknown }) {
  return (
    <code className="text-sm break-words whitespace-pre-wrap">
      <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
    </code>
  )
}
