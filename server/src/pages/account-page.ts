// The one page at `/`, `/app/…`, `/invite`, `/reset` and `/upgrade`. Its script shows the section that the path names.
import { html } from '../http/markup.ts'
import { renderDocument } from './page-frame.ts'

export function renderAccountPage({ style, script }: { style: string; script: string }): string {
  return renderDocument({
    title: 'Sallyport',
    style,
    script,
    body: html`<header class="top"><a class="brand" href="/">Sallyport</a> <a href="/docs">Documentation</a></header>
<main class="narrow">
<noscript><p>These pages need JavaScript. The <a href="/docs/management-api">management API</a> does not.</p></noscript>
<section id="sign-in" hidden><h1>Sign in</h1>
<form><label>Email <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form>
<p class="hint">The first start created a user; its password is in the file <code>initial-password</code> of the data folder.</p></section>
<section id="invite" hidden><h1>Accept your invitation</h1>
<form><label>Password <input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<button>Accept</button></form>
<p class="hint">At least 12 characters. If you have an account already, enter its password.</p></section>
<section id="reset" hidden><h1>Choose a new password</h1>
<form><label>New password <input name="password" type="password" autocomplete="new-password" minlength="12" required></label>
<button>Save</button></form>
<p class="hint">At least 12 characters. All other sessions of your account end.</p></section>
<section id="upgrade" hidden><h1>This needs the pro plan</h1>
<p>On the free plan a tenant has at most three active projects and cannot store provider keys of its own. The operator of
this installation sets the plan of a tenant; see <a href="/docs/start">Start, step 3</a>.</p></section>
<section id="signed-in" hidden><h1>Signed in</h1>
<p>You are signed in as <strong id="email"></strong>.</p><div id="tenants"></div>
<p>Next: <a href="/docs/start">start in ten minutes</a>, or read about <a href="/docs/management-api">the management API</a>.</p>
<button id="sign-out" type="button">Sign out</button></section>
<p id="alert" role="alert" class="alert"></p>
</main>`,
  })
}
