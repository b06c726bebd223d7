// Changed settings side by side: the value before and the value after, with the added and removed lines marked.
import type { ReactNode } from 'react'
import { Scrollable } from '../../ui/scrollable.tsx'
import { describeValue } from './field-values.ts'
import { labelOf } from './fields.ts'
import type { SettingChange } from './queries.ts'

interface ChangeListProps {
  /** What the changes are, such as `Deployment 3`, for screen readers. */
  name: string
  changes: readonly SettingChange[]
  /** What the two sides are, such as `Deployed` and `Draft`. */
  titles: { from: string; to: string }
}

export function ChangeList({ name, changes, titles }: ChangeListProps) {
  return (
    <ul className="flex flex-col divide-y divide-line rounded-lg border border-line px-3">
      {changes.map(({ field, from, to }) => {
        const before = describeValue(field, from)
        const after = describeValue(field, to)
        const label = labelOf(field)
        return (
          <li key={field} className="grid gap-2 py-2 md:grid-cols-[11rem_minmax(0,1fr)]">
            <p className="font-medium">
              <bdi>{label}</bdi>
            </p>
            <div className="grid gap-3 sm:grid-cols-2">
              <Side title={titles.from} label={`${name}: ${label}, ${titles.from}`}>
                <Lines lines={before} others={after} mark="removed" />
              </Side>
              <Side title={titles.to} label={`${name}: ${label}, ${titles.to}`}>
                <Lines lines={after} others={before} mark="added" />
              </Side>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function Side({ title, label, children }: { title: string; label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      {/* Where the sides are columns, their titles stand above the first row. */}
      <p className="text-xs text-soft md:in-[li:not(:first-child)]:hidden">{title}</p>
      <Scrollable
        label={label}
        className="max-h-64 grow overflow-y-auto rounded bg-raised px-2 py-1 whitespace-pre-wrap"
      >
        {children}
      </Scrollable>
    </div>
  )
}

interface LinesProps {
  lines: readonly string[]
  /** The lines of the other side. Two single lines are not compared: the sides say what changed. */
  others: readonly string[]
  mark: 'added' | 'removed'
}

function Lines({ lines, others, mark }: LinesProps) {
  const isCompared = lines.length > 1 || others.length > 1
  const known = new Set(others)
  return [...lines.entries()].map(([position, line]) => {
    const text = <bdi>{line}</bdi>
    const isMarked = isCompared && !known.has(line)
    const added = <ins className="text-good">{text}</ins>
    const removed = <del className="text-danger">{text}</del>
    return <div key={position}>{isMarked ? (mark === 'added' ? added : removed) : text}</div>
  })
}
