-- What `answer` says of each, one after the other: what fails for one fails for none of the others.
local function answer_each(count, answer)
  local answers = {}
  for at = 1, count do
    local is_answered, answered = pcall(answer, at)
    -- What Redis refused is text or an error already, by its version.
    if not is_answered and type(answered) ~= 'table' then answered = { err = tostring(answered) } end
    answers[at] = answered
  end
  return answers
end
