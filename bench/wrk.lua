-- Sends POSTs that are prepared before the load begins, one token after another, and prints counts and latencies as
-- JSON. Environment: BENCH_TOKENS (a file with lines of host, space, token), BENCH_PATH, BENCH_BODY (a file),
-- BENCH_HEADERS (lines of name: value).
local requests, at = {}, 0

local function read_file(name)
  local file = assert(io.open(os.getenv(name), "r"))
  local text = file:read("*a")
  file:close()
  return text
end

function init()
  local body = read_file("BENCH_BODY")
  for line in read_file("BENCH_TOKENS"):gmatch("[^\n]+") do
    local host, token = line:match("^(%S+) (%S+)$")
    local headers = {
      ["Host"] = host,
      ["Authorization"] = "Bearer " .. token,
      ["Content-Type"] = "application/json",
    }
    for name, value in (os.getenv("BENCH_HEADERS") or ""):gmatch("([^\n:]+): ([^\n]+)") do headers[name] = value end
    requests[#requests + 1] = wrk.format("POST", os.getenv("BENCH_PATH"), headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
