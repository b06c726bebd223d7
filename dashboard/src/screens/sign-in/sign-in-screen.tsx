// Sign in with email and password. Stays at the address that was asked for.
import { signIn } from '../../api/session.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { NarrowPage } from './narrow-page.tsx'

export function SignInScreen() {
  return (
    <NarrowPage>
      <Page title="Sign in">
        <Form submit={values => signIn(values['email'] ?? '', values['password'] ?? '')} submitLabel="Sign in">
          <TextField name="email" label="Email" type="email" autoComplete="username" required />
          <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
        </Form>
        <p className="text-soft">
          The first start created a user; its password is in the file <code>initial-password</code> of the data folder.
          If you forgot your password, ask an owner of your tenant or the operator for a reset link.
        </p>
      </Page>
    </NarrowPage>
  )
}
