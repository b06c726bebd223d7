// Who may use the operator's routes beside the admin secret: accounts of people, and credentials of programs.
import { Page } from '../../ui/page.tsx'
import { Credentials } from './credentials.tsx'
import { Operators } from './operators.tsx'

export function OperatorAccessScreen() {
  return (
    <Page
      title="Access"
      lead={
        <>
          People and programs that operate this installation without the admin secret, which stays for emergencies.{' '}
          <a href="/docs/access#operators">About operators</a>
        </>
      }
    >
      <Operators />
      <Credentials />
    </Page>
  )
}
