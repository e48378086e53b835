-- Posts one fixed signed body with a new delivery id per request, counts every answer that is not the expected one,
-- and prints one line of JSON. Arguments: body file, expected status, expected text, run id, then header names and values in turn.

local threads, before, after, count = {}, nil, nil, 0
local want_status, want_text
unexpected, example = 0, ''

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  local body = file:read('*a')
  file:close()
  want_status, want_text = tonumber(args[2]), args[3]
  local headers = { ['X-GitHub-Delivery'] = '@id@' }
  for i = 5, #args, 2 do headers[args[i]] = args[i + 1] end
  local whole = wrk.format('POST', nil, headers, body)
  local from, to = whole:find('@id@', 1, true)
  before, after = whole:sub(1, from - 1) .. args[4] .. '-', whole:sub(to + 1)
end

function request()
  count = count + 1
  return before .. count .. after
end

function response(status, _, body)
  if status == want_status and body:find(want_text, 1, true) then return end
  unexpected = unexpected + 1
  example = status .. ' ' .. body:sub(1, 100):gsub('[%c"\\]', ' ')
end

function done(summary, latency)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.timeout
  local sample = bad > 0 and 'socket errors or time-outs' or ''
  for _, thread in ipairs(threads) do
    bad = bad + thread:get('unexpected')
    if thread:get('example') ~= '' then sample = thread:get('example') end
  end
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"p999Ms":%.3f,"unexpected":%d,"example":"%s"}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency:percentile(99.9) / 1e3, bad, sample))
end
