// Shows a request of the playground as code for an application.
import { addressOf } from '../../api/ask-project.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { codeOf, type ShownRequest } from './code-of-request.ts'

interface CodeDialogProps {
  slug: string
  request: ShownRequest
  close: () => void
}

export function CodeDialog({ slug, request, close }: CodeDialogProps) {
  const { typescript, python, curl } = codeOf(addressOf(slug), request)
  return (
    <Dialog title="The request as code" look="wide" onClose={close}>
      <p className="mb-3 text-soft">
        For a user of your application, with what is deployed.{' '}
        <a href="/docs/guide-express">How a page gets its token</a>
      </p>
      <Tabs
        label="Language of the code"
        tabs={[
          { title: 'TypeScript', content: <Copyable label="TypeScript code" text={typescript} /> },
          { title: 'Python', content: <Copyable label="Python code" text={python} /> },
          { title: 'curl', content: <Copyable label="curl command" text={curl} /> },
        ]}
      />
      <p className="mt-4">
        <Button onClick={close}>Close</Button>
      </p>
    </Dialog>
  )
}
