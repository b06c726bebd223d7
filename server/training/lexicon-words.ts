// Words that the tagger knows by kind, beside the name lists: titles, words for street and unit, products, months. Lower
// case; a phrase has its words apart. Knows no texts.

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

export const titleWords =
  words(`mr mrs ms miss dr doctor prof professor sir madam lord lady captain capt sgt sergeant lt lieutenant
  colonel col major general president senator sen rep governor mayor judge justice king queen prince princess pope bishop
  father sister brother uncle aunt auntie coach chef detective officer inspector minister chancellor secretary saint herr frau
  señor señora sr sra monsieur madame mme signor signora dott ing mx rev reverend rabbi imam sheikh dame mister missus`)

export const kinWords =
  words(`wife husband son daughter mother mom mum dad father brother sister friend boss manager colleague
  partner girlfriend boyfriend fiance fiancee cousin nephew niece uncle aunt grandma grandpa neighbor neighbour landlord
  tenant roommate flatmate teacher student client customer patient employee candidate applicant nurse therapist lawyer
  attorney accountant assistant supervisor coworker teammate colleague colleagues twins kid baby spouse stepfather stepmother
  guest driver recruiter interviewer author contact user beneficiary payee`)

export const nameCueWords =
  words(`name named called dear hi hello hey regards sincerely cheers thanks from to cc bcc attn attention
  signed sender recipient author assignee reporter owner contact customer client patient employee username fullname firstname
  lastname surname first last full middle maiden nickname alias reviewer approver attendee attendees participants speaker
  host guest beneficiary payee cardholder holder passenger manager by under with for meet met know tell ask call email
  contacted said says told wrote asked replied speaking am i'm im`)

export const streetWords =
  words(`street st str avenue ave av road rd lane ln drive dr court ct circle cir boulevard blvd way
  place pl terrace ter trail trl parkway pkwy highway hwy square sq plaza alley aly crescent cres close mews row walk grove
  gardens gdns hill heights hts loop path pike point run ridge crossing xing bend cove park view vista green rise yard wharf
  quay expressway freeway turnpike route rte causeway junction mill mills estates manor meadows meadow summit springs
  strasse straße gasse platz weg allee ufer damm ring rue chemin impasse quai boulevard calle avenida carrera paseo
  plazuela camino via viale piazza corso vicolo largo rua travessa praça estrada straat laan plein gracht kade dijk steenweg
  gatan gata vägen väg vej gade gate veien katu tie kuja polku ulica ul ulice aleja al plac utca út tér körút marg nagar`)

export const unitWords =
  words(`apt apartment suite ste unit flat floor fl room rm bldg building block blk lot house level
  penthouse ph box bin office door tower wing apto piso #`)

export const directionWords = words('n s e w ne nw se sw north south east west northeast northwest southeast southwest')

export const calendarWords =
  words(`january february march april may june july august september october november december jan feb
  mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
  thurs fri sat sun spring summer autumn fall winter christmas easter thanksgiving halloween ramadan diwali hanukkah new year
  eve today tomorrow yesterday`)

export const organisationWords =
  words(`inc ltd llc corp co corporation company gmbh ag sa nv bv plc llp lp group holdings bank university
  college school institute hospital foundation association department ministry agency committee council church club team
  fc united city records studios pictures media news times post journal magazine press society union party league trust
  partners capital ventures technologies systems software solutions services industries international enterprises labs`)

export const stateWords =
  words(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh
  ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr ab bc mb nb nl ns nt nu on pe qc sk yt nsw vic qld act tas uk usa us eu uae ap ae aa`)

/** Names that programmers write with a capital and that are nobody's. */
export const productWords =
  words(`python java javascript typescript ruby rust swift kotlin scala perl haskell elixir erlang clojure
  julia lua dart fortran cobol matlab octave pascal ada lisp scheme prolog groovy golang php bash powershell html css sql xml
  json yaml toml csv latex markdown regex api rest graphql grpc http https tcp udp ip dns ssh ssl tls jwt oauth saml ldap
  react angular vue svelte next nuxt node nodejs deno bun express fastify django flask fastapi rails laravel symfony spring
  hibernate struts tomcat jetty nginx apache caddy traefik envoy istio consul vault terraform ansible puppet chef jenkins
  travis circleci github gitlab bitbucket git mercurial svn docker kubernetes helm podman vagrant aws azure gcp lambda ec2 s3
  dynamodb aurora redshift athena glue kinesis sqs sns cloudfront cloudwatch heroku vercel netlify firebase supabase mongodb
  mongo postgres postgresql mysql mariadb sqlite oracle redis memcached cassandra couchbase neo4j elastic elasticsearch kibana
  logstash grafana prometheus loki jaeger zipkin datadog splunk sentry kafka rabbitmq celery airflow dagster spark hadoop hive
  flink beam snowflake databricks pandas numpy scipy sklearn keras tensorflow pytorch torch jax theano caffe onnx cuda opencv
  matplotlib seaborn plotly streamlit gradio jupyter colab anaconda conda pip poetry npm yarn pnpm webpack vite rollup babel
  eslint prettier jest mocha chai cypress selenium playwright puppeteer junit pytest gradle maven bazel cmake make ninja gcc
  clang llvm linux ubuntu debian fedora centos redhat arch alpine windows macos ios android chrome firefox safari edge opera
  excel word powerpoint outlook sharepoint teams slack discord zoom jira confluence notion trello asana figma photoshop
  illustrator unity unreal godot blender arduino raspberry esp32 stm32 verilog vhdl openai anthropic claude gemini gpt chatgpt
  llama mistral copilot bard alexa siri cortana whatsapp telegram instagram facebook twitter linkedin youtube tiktok reddit
  spotify netflix uber paypal stripe shopify salesforce hubspot zendesk sap workday tableau looker segment mixpanel amplitude
  twilio sendgrid mailchimp okta auth0 keycloak cloudflare fastly akamai fibonacci dijkstra euler gauss bayes bayesian newton
  fourier laplace markov poisson bernoulli boolean hamming huffman turing gaussian kalman monte carlo caesar vigenere luhn`)
