// The style sheet of the API's reference page.

export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --quiet: #8881; --accent: light-dark(#4653e6, #929dff) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
a { color: var(--accent) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; border-right: 1px solid var(--line); padding: 1.5rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .2rem 0; text-decoration: none }
main { padding: 1.5rem 2rem 6rem; max-width: 70rem }
h1 { margin-top: 0 }
h2 { margin: 3rem 0 1rem; border-bottom: 1px solid var(--line) }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
h4 { margin: 1rem 0 .3rem; font-size: .85rem }
article { border: 1px solid var(--line); border-radius: 6px; padding: 1rem 1.2rem; margin: 1rem 0 }
article p { margin: .4rem 0 }
code, .method { font: .9em/1.4 ui-monospace, monospace }
.method { font-weight: 700; color: var(--accent) }
.facts { margin: .4rem 0; padding-left: 1.2rem; font-size: .9rem }
table { border-collapse: collapse; width: 100%; font-size: .875rem; margin: .3rem 0 }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-top: 1px solid var(--quiet); overflow-wrap: anywhere }
th { font-weight: 400; white-space: nowrap }
.answers > tbody > tr > th { width: 4.5rem }
@media (max-width: 50rem) {
  body { display: block }
  nav { position: static; height: auto; border: 0; padding: 1rem 1rem 0 }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 .8rem }
  main { padding: 1rem; overflow-wrap: anywhere }
  th { white-space: normal }
}
`
