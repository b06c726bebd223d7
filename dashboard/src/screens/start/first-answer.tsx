// Asks the project a question, as an application does, and shows the answer while it streams in.
import { useState } from 'react'
import { askProject } from '../../api/ask-project.ts'
import type { OneProject } from '../../api/queries.ts'
import { TextAreaField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'

export function FirstAnswer({ project: { id: projectId, slug } }: { project: OneProject }) {
  const [answer, setAnswer] = useState('')
  const [isStreaming, setStreaming] = useState(false)
  const submit = async ({ question = '' }: FormValues): Promise<void> => {
    setAnswer('')
    setStreaming(true)
    try {
      for await (const text of askProject({ projectId, slug, text: question })) setAnswer(shown => shown + text)
    } finally {
      setStreaming(false)
    }
  }
  return (
    <Section title="2. The first answer">
      <p className="text-soft">
        This mints a token for your own account, and sends your question to the project’s address with it, as your page
        will do for its users.
      </p>
      <Form submit={submit} submitLabel="Ask">
        <TextAreaField name="question" label="Question" defaultValue="Say hello in one sentence." required />
      </Form>
      {/* Screen readers read the answer as a whole, when it has ended. */}
      <section
        aria-label="Answer"
        aria-live="polite"
        aria-busy={isStreaming}
        className="min-h-16 rounded-md border border-line bg-raised p-4"
      >
        {answer === '' ? (
          <p className="text-soft">The answer appears here.</p>
        ) : (
          <p dir="auto" className="whitespace-pre-wrap">
            {answer}
          </p>
        )}
      </section>
    </Section>
  )
}
