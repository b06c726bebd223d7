// A message that was sent, with what the guardrails of the column find in it.
import { useQuery } from '@tanstack/react-query'
import { messageOf } from '../../api/errors.ts'
import type { PlaygroundMessage } from '../../api/run-playground.ts'
import { Badge } from '../../ui/badge.tsx'
import { Marked } from '../guardrails/marked-text.tsx'
import { nameOfFamily } from '../guardrails/names.ts'
import { triedQuery } from './queries.ts'
import { SaidText, textOf } from './said-messages.tsx'

interface SentMessageProps {
  projectId: string
  use: 'draft' | 'deployed'
  message: PlaygroundMessage
}

export function SentMessage({ projectId, use, message }: SentMessageProps) {
  const text = textOf(message)
  const role = message.role === 'tool' ? 'tool' : 'user'
  const { data: tried, error } = useQuery({ ...triedQuery({ projectId, use, role, text }), enabled: text !== '' })
  return (
    <>
      {tried === undefined || tried.pii.length === 0 ? (
        <SaidText message={message} />
      ) : (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          <Marked text={text} matches={tried.pii} />
        </p>
      )}
      {tried !== undefined && <Attack sentinel={tried.sentinel} />}
      {error !== null && (
        <p dir="auto" className="text-danger">
          What the guardrails find in the message is unknown: {messageOf(error)}
        </p>
      )}
    </>
  )
}

interface AttackProps {
  sentinel: { verdict: string; families: readonly string[]; terms: number; score: string }
}

/** Nothing if Sentinel lets the message pass without a word, or is off. */
function Attack({ sentinel: { verdict, families, terms, score } }: AttackProps) {
  if (families.length === 0 && terms === 0) return null
  const found = [...families.map(nameOfFamily), ...(terms > 0 ? ['terms of the blocklist'] : [])]
  return (
    <p>
      <Badge tone={verdict === 'blocked' ? 'danger' : 'warn'}>{`Sentinel: ${verdict}`}</Badge> {found.join(', ')}, score{' '}
      {score}
    </p>
  )
}
