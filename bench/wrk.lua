-- Sends POSTs that are prepared before the load begins, one token after another, and prints counts and latencies as
-- JSON. Environment: BENCH_TOKENS (a file with lines of host, space, token), BENCH_PATH, BENCH_BODY (a file),
-- BENCH_HEADERS (lines of name: value), BENCH_DISTINCT (how many of a hundred requests have a number of their own in
-- place of the words below).
local requests, at = {}, 0
local words = "Tell me how "
local distinct = tonumber(os.getenv("BENCH_DISTINCT") or "0")
-- Unlike those of an earlier run.
local number = os.time() % 100000 * 1000000

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

-- Spreads them evenly.
local function is_distinct()
  return math.floor(number * distinct / 100) > math.floor((number - 1) * distinct / 100)
end

function request()
  at = at % #requests + 1
  number = number + 1
  local whole = requests[at]
  if distinct == 0 or not is_distinct() then return whole end
  local first, last = whole:find(words, 1, true)
  return whole:sub(1, first - 1) .. string.format("%011d ", number) .. whole:sub(last + 1)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"bytes":%d,"micros":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
