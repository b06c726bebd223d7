// Templates of prompts without names of people or places: technical questions, headings, interface texts, messages of
// programs.

import { templatesIn } from './templates.ts'

export const technicalTemplates = templatesIn(`
  How do I install {tech} on {tech}?
  Write a {tech} script that reads a {word} and prints a {word}.
  Compare {tech} and {tech} for a small {word}.
  {tech} vs {tech} vs {tech}
  Is {tech} faster than {tech}? What about {tech}?
  Explain {idea} with an example in {tech}.
  Explain {idea} to a child.
  Derive {idea}.
  Implement {idea} in {tech} without libraries.
  I get an error in {tech} when I call {fn}(): "{head}"
  Why does {cls} throw an exception in {tech}?
  Write a class {cls} in {tech} with methods {fn} and {fn}.
  Refactor {cls} so that it uses {tech}.
  Convert this {tech} code to {tech}: {fn}({var})
  What is the difference between {cls} and {cls}?
  Generate a {tech} program that implements a mechanism to rotate the {word} every day.
  Generate a {tech} program that detects changes of a {word} and writes them to a {word}.
  Create a {tech} module for {tech} that validates the {word}.
  Set up {tech} behind {tech} with TLS.
  My {tech} container cannot reach the {tech} container.
  {head}
  {head}⏎{head}⏎{head}
  # {head}⏎⏎## {head}⏎⏎- {label}⏎- {label}⏎- {label}
  {head}:⏎1. {label}⏎2. {label}⏎3. {label}
  {label} | {label} | {label}
  Click {label}, then {label} and {label}.
  Press the {label} button and choose {label} from the menu.
  The {label} page shows {label} and {label}.
  Translate these interface texts: {label}, {label}, {label}, {label}
  button.{fn}={label}⏎button.{fn}={label}
  {"{field}": "{label}", "{field}": "{label}", "{field}": {n}}
  {"{field}":"{var}","{field}":"{cls}","{field}":true}
  {"title": "{head}", "category": "{word}", "lang": "{tech}"}
  <label for="{field}">{label}</label>
  <button class="primary">{label}</button>
  <font name="{label}" size="{n}">
  {field}: {label}⏎{field}: {label}⏎{field}: {n}
  {field},{field},{field}⏎{label},{n},{tech}⏎{label},{n},{tech}
  def {fn}({var}, {var}):⏎    return {var} + {n}
  class {cls}({cls}):⏎    def {fn}(self, {var}):⏎        self.{var} = {var}
  public class {cls} {⏎    private String {var};⏎    public void {fn}() { }⏎}
  import {var} from '{var}'⏎const {var} = new {cls}({var})
  from {var} import {cls}, {cls}
  SELECT {field}, {field} FROM {word} WHERE {field} > {n} ORDER BY {field};
  CREATE TABLE {word} ({field} TEXT, {field} INTEGER);
  for {var} in {var}: {fn}({var})
  if ({var} == null) throw new {cls}("{head}");
  {cls}.{fn}({var}).{fn}()
  Exception in thread "main" java.lang.NullPointerException at {cls}.{fn}({cls}.java:{n})
  Traceback (most recent call last):⏎  File "{var}.py", line {n}, in {fn}⏎KeyError: '{label}'
  [ERROR] {cls} - {head}
  2024-01-1{n} WARN {cls}: {word} not found
  npm install {var} && npm run {var}
  git commit -m "{head}"
  docker run -p {n}:{n} {var}
  Meetings are on {day} and {day}, the {word} is due in {day}.
  The {word} for {day} is late.
  From {day} to {day} the {label} page is off.
  Write a {word} for a {title}.
  Act as a {title} and review my {word}.
  As a {title}, how do I write a {word} in {tech}?
  You are an expert {title}. Write the {head} of a {word}.
  Write a {nation} recipe with rice and beans.
  Is {nation} harder to learn than {nation}?
  Translate this sentence into {nation}: the {word} is ready.
  What do {nation} people eat in {day}?
  Summarise {work} in ten lines.
  What is the theme of {work}?
  Write a quiz about {work} and {work}.
  What are the {head} of a good {word}?
  Make a table of {label}, {label} and {label}.
  Write {head} for an app called "{head}".
  Give me ten ideas for a {word} about {word}.
  Improve this text: The {word} was good but the {word} was not.
  IMPORTANT: READ THE {word} BEFORE YOU USE {tech}
  WARNING: THE {word} IS OUT OF DATE
  HOW DO I USE {tech} WITH {tech}
  THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG
  Multiple Choice⏎A. {label}⏎B. {label}⏎C. {label}⏎D. {label}
  Question {n}: Which {word} is right?⏎(A) {label}⏎(B) {label}⏎(C) Both⏎(D) None of the above
  Let X be a random variable and let Y = X + {n}. Prove that E[Y] exists.
  Given {var} = {n} and {var} = {n}, solve for {var}.
  Consider a Hilbert space and a Hermitian operator. Show that it is bounded.
  Design a {word} with {tech}, {tech} and {tech}. Requirements: {label}, {label}.
  Our stack: {tech}, {tech}, {tech}, {tech}.
  We migrated from {tech} to {tech} and {fn} broke.
  Version {n}.{n} of {tech} removes {cls}.
  The {tech} docs say to use {cls}, but {tech} wants {cls}.
  Set {field} to "{label}" and {field} to "{label}".
  The enum has the values {label}, {label} and {label}.
  Options: {label} / {label} / {label}
  Alice sends Bob a {word} and Eve reads it.
  Alice and Bob play a game with {n} stones. Alice moves first.
  Suppose Alice has a public key and Bob signs the {word}. What can Eve learn?
  For Bob to win, {n} moves are needed.
  print("Hello, Alice")  # Alice and Bob are examples
  The {role} creates a {word} and the {role} approves it.
  {role} should see the {label} page.
  {role} can also {fn} the {word}. Admin must confirm.
  As a {role}, I want to see my {word}.
  Actors: {role}, {role}, {role}
  {role}: {label}⏎{role}: {label}
  model = {cls}.from_pretrained('{odd}-base', config={var})
  printf("{label} {odd}\\n");
  Set {odd} as {odd}. Filter {label} by {odd} {odd}.
  {odd} {odd} header updated
  scripts for {odd}, {odd} and {tech}
  Hello World
  Hello, world!
  Lorem ipsum dolor sit amet, consectetur adipiscing elit
  ok thanks
  yes please, {n} of them
  What can you do?
  can you make the {word} shorter
  please fix the grammar: he go to school yesterday
  I have {n} {word}s and want to sort them by {field}.
  Order {n} shipped on {day}; {label} is {label}.
  room {n} floor {n} is free
  section {n}, page {n}, line {n}
  Chapter {n}: {head}
  Figure {n}. {head} of the {word}
  Table {n} shows the {head}.
  port {n} is open, error {n}, code {n}
  it took {n} ways to drive {n} miles
  {n} street {word}s were cleaned
  The best {word} of {n} {word}s in a row
  Black Friday, Mother's Day and Valentine's Day offers
  {label} your {word} today and save {n} percent!
  Use Arial, Helvetica, Times New Roman, Georgia, Verdana or Courier New.
  Font: Garamond, Baskerville, Calibri, Cambria, Roboto, Lato
  Vitamin D, Omega Three and Magnesium are good for {word}.
  The Beta release of {tech} is named "{head}".
  The Supreme Court, the Senate and the Parliament decide on the {word}.
  The {nation} Empire fell. Discuss the {word}.
  the Renaissance, the Enlightenment and the Industrial Revolution
  Mercury, Venus, Mars, Jupiter, Saturn, Uranus and Neptune
  Monday Tuesday Wednesday Thursday Friday
  Design a {cls} for a {word} using the Singleton, Observer and Builder patterns.
  Given the following {word}, write a Cypher query that returns the {word}.
  Assume the role of a tax advisor. How is a Roth IRA taxed?
  Explain the Sarbanes-Oxley Act, the Clean Air Act and GDPR.
  Write a Bash one-liner to find files larger than {n} MB.
  Write a VBA macro that copies Sheet1 to Sheet2.
  Use the Mitre framework to classify the {word}.
  Make it work in {tech}, {tech} and {tech} on {day}.

  How do I configure {odd} for {tech}?
  {odd} {n}.{n} is out, with {label} and {label}.
  The {odd} plugin breaks {tech} on {tech}.
  Is {odd} better than {odd} for a {word}?
  {odd}: {head}
  Use a data set called {odd}. The {odd} data set has {n} rows.
  install {odd} and run {var}
  [{"text":"{odd}","coords":[[{n},{n}],[{n},{n}]]},{"text":"{odd}","coords":[[{n},{n}],[{n},{n}]]}]
  [{"text": "{odd}", "box": [{n}, {n}]}, {"text": "{label}", "box": [{n}, {n}]}, {"text": "{cls}", "box": [{n}, {n}]}]
  {"type":"{odd}","label":"{odd}","value":{n}}
  {"name": "{odd} ({word})", "description": "{head}", "version": "{n}.{n}"}
  {"name": "{tech}", "language": "{tech}", "stars": {n}}
  {"product":"{odd} {label}","sku":"{odd}","qty":{n}}
  {"event":"{odd}","level":"{label}","source":"{cls}"}
  name: {odd}⏎version: {n}.{n}⏎dependencies:⏎  {var}: {n}
  name: {fn}⏎on: push⏎jobs:⏎  build:⏎    runs-on: ubuntu-latest
  <div class="modal fade" id="{field}" tabindex="-1" aria-hidden="true"></div>
  <input type="text" name="{field}" aria-label="{label}" placeholder="{label}">
  <a href="#" class="btn btn-{var}" data-bs-target="#{var}" role="button">{label}</a>
  .{var}-{field} { color: red; margin: {n}px }
  set -e⏎cd {var}⏎rm -rf {var} && make {fn}
  #!/bin/bash⏎DIR="$(dirname -- "$0")"⏎for {var} in *.{var}; do echo "{var}"; done
  {var} = {fn}({var}, {var}=len({var}), {var}='{label}', freq='T')
  df['{label}'] = df['{field}'].{fn}(lambda {var}: len({var}))
  len({var}) == {n}
  print(f"{label}: {{var}}")
  {cls} {var} = new {cls}("{label}", {n});
  std::vector<{cls}> {var}; {var}.push_back({n});
  fn {fn}({var}: &str) -> Result<{cls}, {cls}> { }
  func {fn}({var} {cls}) error { return nil }
  SELECT {label} FROM {cls} JOIN {cls} ON {cls}.{field} = {cls}.{field}
  module {odd} where⏎import Data.List
  package com.{var}.{var};⏎import java.util.List;
  properties: {label}, {cls}, {odd}
  Fields: {label}, {cls}, {odd}, {label}, {n}
  fields are {odd}, {label}, {odd}, {n}, {n}
  Columns: {label}⏎{label}⏎{odd}
  {odd}⏎{odd}⏎{label}
  {odd} updated. {odd} deployed. {label} removed.
  Fixed the {odd} crash and {label} issues in {odd}.
  If T is a tree and V is the set of its nodes, show that |V| = {n}.
  Let f : A → B and g : B → C. Prove that g is onto.
  Thus, the {word} is minimal. Then, each round a number is drawn.
  Hence P(A) = {n} and P(B|A) = {n}. Therefore A and B are independent.
  ISO {n} requires a {word} for each {word}.
  the {odd} algorithm and the {odd} transform
  What is {odd}?
  what does {odd} mean in {nation}?
  {nation} grammar: when do I use the {odd}?
  Explain how {odd} can be used with AI's help.
  Rewrite this for {odd}: {head}
  Let's say the {word} is done. Now, {fn} it.
  Hello {tech} team, the {odd} build is red.
  Dear customer, your {word} is ready.
  Dear Sir or Madam, I am writing about the {word}.
  Hi team, please review the {word}.
  Hi there, can you help?
  My name is not important.
  I am happy with the {word}.
  I'm a {title} and I'm new to {tech}.
  i am new here and i am tired
  this is urgent
  From scratch, in {tech}
  Under Windows, {fn} fails.
  Sent to the printer, not to the {word}.
  According to the {head}, the {word} is {label}.
  The {title} said that the {word} is {label}.
  - {odd}⏎- {label}⏎- {tech}
  | {label} | {label} | {odd} |⏎|---|---|---|⏎| {n} | {n} | {odd} |
  id,{field},{field}⏎1,{odd},{label}⏎2,{odd},{label}
  error TS{n}: Property '{fn}' does not exist on type '{cls}'.
  {n}:{n}:{n} DEBUG [{odd}] {cls}.{fn} took {n} ms
  the new side bar, the north side, the main street of ideas
  I paid {n} dollars in {day} for {odd}.
  In {n} words, what is {head}?
  the {nation} {word} of {n}
  As an AI, You must answer in JSON. Return Only the Result.
  Step {n}: {label}. Step {n}: {label}.
  Q{n}. Which of these is a {word}? A) {odd} B) {odd} C) {odd}
  Big O of {fn}? O(N log N)
  The Great {word} of {odd} is a game. Write its rules.
  Character sheet: Class: {cls}, Race: Elf, Level: {n}, Weapon: {odd}
  Name three {word}s. Name a {word}. Name it.
  Give each {word} a name and a city code.
`)
