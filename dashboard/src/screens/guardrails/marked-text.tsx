// A text with the matches of personal data marked in it, each with its type and what happens to it.
import type { ManagementRoutes } from '@sallyport/sdk'
import { formatCountOf } from '../../ui/numbers.ts'
import { actionNames, nameOfEntity } from './names.ts'

type Match = ManagementRoutes['POST /auth/v1/projects/{projectId}/guardrails/try']['output']['pii'][number]

export function MarkedText({ text, matches }: { text: string; matches: readonly Match[] }) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">
        {matches.length === 0
          ? 'No personal data is detected'
          : `Personal data: ${formatCountOf(matches.length, 'match', 'matches')}`}
      </h3>
      {matches.length > 0 && (
        <p dir="auto" className="rounded-md border border-line bg-raised p-3 whitespace-pre-wrap">
          <Marked text={text} matches={matches} />
        </p>
      )}
    </div>
  )
}

/** The text alone. */
export function Marked({ text, matches }: { text: string; matches: readonly Match[] }) {
  return splitText(text, matches).map(({ start, part, match }) =>
    match === null ? (
      <bdi key={start}>{part}</bdi>
    ) : (
      <mark key={start} className="rounded border border-warn bg-page box-decoration-clone px-1 text-ink">
        <bdi>{part}</bdi>
        <small className="ml-2 text-warn">{describeMatch(match)}</small>
      </mark>
    ),
  )
}

function describeMatch({ type, action, score }: Match): string {
  return `${nameOfEntity(type)}: ${actionNames[action]}, score ${score.toFixed(2)}`
}

interface TextPart {
  start: number
  part: string
  match: Match | null
}

/** The text in parts, in order: matches, and what is between them. */
function splitText(text: string, matches: readonly Match[]): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of matches) {
    if (match.start > at) parts.push({ start: at, part: text.slice(at, match.start), match: null })
    parts.push({ start: match.start, part: text.slice(match.start, match.end), match })
    at = match.end
  }
  if (at < text.length) parts.push({ start: at, part: text.slice(at), match: null })
  return parts
}
