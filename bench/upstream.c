// A scripted provider, faster than any gateway in front of it: one thread, one epoll, nothing allocated per request.
// POST returns a short JSON completion or, if the body has "stream":true, 100 SSE chunks, one every 10 ms (with
// "pace":"burst" all at once). The wire format is that of the path: Anthropic's for /messages, OpenAI's for /responses,
// /embeddings (a vector, never a stream) and all others (chat completions). GET /count returns counters, GET /close closes all other idle connections. Supports only the HTTP that the measured proxies
// send: requests of less than 64 KB in all, with Content-Length or chunked bodies.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNKS = 100, PACE_MS = 10, SLOTS = 64, INPUT = 64 * 1024, MOST = 8192, CONTENT = 700, NUMBERS = 256 };

/** The prepared responses of one wire format. */
struct voice {
  const char *path;
  char answer[8192], first_chunk[4096], chunk[2048], last_chunk[4096], *burst;
  size_t answer_size, first_size, chunk_size, last_size, burst_size;
};

struct connection {
  int fd, slot_open, chunks_sent;
  const struct voice *voice;
  uint64_t due;
  size_t used;
  struct connection *next, *previous;
  char input[INPUT];
};

static struct connection *by_fd[MOST];
static struct connection *wheel[SLOTS];
static int open_streams;
static uint64_t requests, chunks, streams, accepted;
static struct voice openai = {.path = "/completions "}, anthropic = {.path = "/messages "};
static struct voice responses = {.path = "/responses "}, embeddings = {.path = "/embeddings "};
static struct voice *const voices[] = {&openai, &anthropic, &responses, &embeddings};
enum { VOICES = sizeof voices / sizeof *voices };
static char stream_head[512];
static size_t stream_head_size;
static int poller;

static uint64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static size_t frame(char *into, const char *event) {
  return (size_t)sprintf(into, "%zx\r\n%s\r\n", strlen(event), event);
}

static size_t answer_with(char *into, const char *body) {
  return (size_t)sprintf(into, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                         strlen(body), body);
}

static void make_openai(const char *text) {
  struct voice *v = &openai;
  char body[2048], event[1024];
  sprintf(body,
          "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1790000000,\"model\":\"gpt-4o-mini\","
          "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\",\"refusal\":null},"
          "\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":230,\"completion_tokens\":90,"
          "\"total_tokens\":320},\"system_fingerprint\":\"fp_bench\"}",
          text);
  v->answer_size = answer_with(v->answer, body);
  const char *opening = "data: {\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,"
                        "\"model\":\"gpt-4o-mini\",";
  sprintf(event, "%s\"choices\":[{\"index\":0,\"delta\":{\"content\":\" and so\"},\"finish_reason\":null}]}\n\n", opening);
  v->chunk_size = frame(v->chunk, event);
  v->first_size = frame(v->first_chunk, event);
  sprintf(event,
          "%s\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
          "%s\"choices\":[],\"usage\":{\"prompt_tokens\":230,\"completion_tokens\":99,\"total_tokens\":329}}\n\n"
          "data: [DONE]\n\n",
          opening, opening);
  v->last_size = frame(v->last_chunk, event);
}

static void make_anthropic(const char *text) {
  struct voice *v = &anthropic;
  char body[2048], event[1024];
  const char *message = "\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-bench\"";
  sprintf(body,
          "{%s,\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,"
          "\"usage\":{\"input_tokens\":230,\"output_tokens\":90}}",
          message, text);
  v->answer_size = answer_with(v->answer, body);
  const char *delta = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                      "\"delta\":{\"type\":\"text_delta\",\"text\":\" and so\"}}\n\n";
  v->chunk_size = frame(v->chunk, delta);
  sprintf(event,
          "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{%s,\"content\":[],\"stop_reason\":null,"
          "\"stop_sequence\":null,\"usage\":{\"input_tokens\":230,\"output_tokens\":1}}}\n\n"
          "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
          "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n%s",
          message, delta);
  v->first_size = frame(v->first_chunk, event);
  v->last_size = frame(v->last_chunk,
                       "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
                       "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
                       "\"stop_sequence\":null},\"usage\":{\"output_tokens\":99}}\n\n"
                       "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
}

static void make_responses(const char *text) {
  struct voice *v = &responses;
  char body[4096], event[3072];
  const char *object = "\"id\":\"resp_bench\",\"object\":\"response\",\"created_at\":1790000000,\"error\":null,"
                       "\"incomplete_details\":null,\"model\":\"gpt-4o-mini\",\"store\":false";
  const char *begun = "\"status\":\"in_progress\",\"output\":[],\"usage\":null";
  const char *usage = "\"usage\":{\"input_tokens\":230,\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":90,"
                      "\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":320}";
  const char *item = "\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\"";
  const char *part = "\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[]";
  sprintf(body, "{%s,\"status\":\"completed\",\"output\":[{%s,\"status\":\"completed\",\"content\":[{%s,\"text\":\"%s\"}]}],%s}",
          object, item, part, text, usage);
  v->answer_size = answer_with(v->answer, body);
  const char *delta = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,"
                      "\"item_id\":\"msg_bench\",\"output_index\":0,\"content_index\":0,\"delta\":\" and so\",\"logprobs\":[]}\n\n";
  v->chunk_size = frame(v->chunk, delta);
  sprintf(event,
          "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{%s,%s}}\n\n"
          "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":{%s,%s}}\n\n"
          "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":2,"
          "\"output_index\":0,\"item\":{%s,\"status\":\"in_progress\",\"content\":[]}}\n\n"
          "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":3,"
          "\"item_id\":\"msg_bench\",\"output_index\":0,\"content_index\":0,\"part\":{%s,\"text\":\"\"}}\n\n%s",
          object, begun, object, begun, item, part, delta);
  v->first_size = frame(v->first_chunk, event);
  sprintf(event,
          "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":5,"
          "\"output_index\":0,\"item\":{%s,\"status\":\"completed\",\"content\":[{%s,\"text\":\"and so\"}]}}\n\n"
          "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":6,\"response\":{%s,"
          "\"status\":\"completed\",\"output\":[{%s,\"status\":\"completed\",\"content\":[{%s,\"text\":\"and so\"}]}],%s}}\n\n",
          item, part, object, item, part, usage);
  v->last_size = frame(v->last_chunk, event);
}

static void make_embeddings(void) {
  struct voice *v = &embeddings;
  char body[6144];
  size_t size = (size_t)sprintf(body, "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[");
  for (int i = 0; i < NUMBERS; i++) size += (size_t)sprintf(body + size, "%s-0.0%d", i ? "," : "", 1000001 + i * 7919);
  sprintf(body + size, "]}],\"model\":\"text-embedding-3-small\",\"usage\":{\"prompt_tokens\":230,\"total_tokens\":230}}");
  v->answer_size = answer_with(v->answer, body);
}

static void make_burst(struct voice *v) {
  v->burst_size = stream_head_size + v->first_size + v->chunk_size * (CHUNKS - 2) + v->last_size;
  v->burst = malloc(v->burst_size);
  char *at = mempcpy(v->burst, stream_head, stream_head_size);
  at = mempcpy(at, v->first_chunk, v->first_size);
  for (int i = 2; i < CHUNKS; i++) at = mempcpy(at, v->chunk, v->chunk_size);
  memcpy(at, v->last_chunk, v->last_size);
}

static void make_answers(void) {
  char text[CONTENT + 1];
  for (int i = 0; i < CONTENT; i++) text[i] = i % 8 == 7 ? ' ' : (char)('a' + i % 23);
  text[CONTENT] = 0;
  stream_head_size = (size_t)sprintf(stream_head, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                                  "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
  make_openai(text);
  make_anthropic(text);
  make_responses(text);
  make_embeddings();
  for (int i = 0; i < VOICES; i++) {
    struct voice *v = voices[i];
    v->last_size += (size_t)sprintf(v->last_chunk + v->last_size, "0\r\n\r\n");
    make_burst(v);
  }
}

static void put_in_wheel(struct connection *c) {
  struct connection **slot = &wheel[c->due % SLOTS];
  c->next = *slot;
  c->previous = NULL;
  if (*slot) (*slot)->previous = c;
  *slot = c;
  c->slot_open = 1;
  open_streams++;
}

static void take_from_wheel(struct connection *c) {
  if (!c->slot_open) return;
  if (c->previous) c->previous->next = c->next;
  else wheel[c->due % SLOTS] = c->next;
  if (c->next) c->next->previous = c->previous;
  c->slot_open = 0;
  open_streams--;
}

static void drop(struct connection *c) {
  take_from_wheel(c);
  by_fd[c->fd] = NULL;
  close(c->fd);
  free(c);
}

/** Writes are small beside the socket's buffer, so a full buffer means that the client has stopped reading: wait. */
static int put(struct connection *c, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = send(c->fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      usleep(50);
      continue;
    }
    if (n <= 0) return -1;
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

static void close_idle(const struct connection *asking) {
  for (int fd = 0; fd < MOST; fd++) {
    struct connection *c = by_fd[fd];
    if (c && c != asking && !c->slot_open && c->used == 0) drop(c);
  }
}

/** Returns 1 after a whole response, 0 for a stream in progress, -1 if the connection broke. */
static int begin_answer(struct connection *c, const char *head, const char *body, size_t body_size) {
  if (memcmp(head, "GET ", 4) == 0) {
    char text[256], reply[512];
    if (memcmp(head, "GET /close ", 11) == 0) close_idle(c);
    sprintf(text, "{\"requests\":%lu,\"streams\":%lu,\"chunks\":%lu,\"connections\":%lu}", requests, streams, chunks, accepted);
    int size = sprintf(reply, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                       strlen(text), text);
    return put(c, reply, (size_t)size) < 0 ? -1 : 1;
  }
  requests++;
  const char *line_end = strchr(head, '\r');
  c->voice = &openai;
  for (int i = 0; i < VOICES; i++) {
    if (memmem(head, (size_t)(line_end - head), voices[i]->path, strlen(voices[i]->path))) c->voice = voices[i];
  }
  if (!memmem(body, body_size, "\"stream\":true", 13)) return put(c, c->voice->answer, c->voice->answer_size) < 0 ? -1 : 1;
  streams++;
  if (memmem(body, body_size, "\"pace\":\"burst\"", 14)) {
    chunks += CHUNKS;
    return put(c, c->voice->burst, c->voice->burst_size) < 0 ? -1 : 1;
  }
  if (put(c, stream_head, stream_head_size) < 0) return -1;
  c->chunks_sent = 0;
  // A random offset, so that streams that begin together do not all send at the same time.
  c->due = now_ms() + 1 + (uint64_t)(rand() % PACE_MS);
  put_in_wheel(c);
  return 0;
}

static const char *find_header(const char *head, const char *end, const char *name) {
  size_t size = strlen(name);
  for (const char *line = memchr(head, '\n', (size_t)(end - head)); line && line + 1 < end;
       line = memchr(line + 1, '\n', (size_t)(end - line - 1))) {
    if (strncasecmp(line + 1, name, size) == 0) return line + 1 + size;
  }
  return NULL;
}

/** Returns the size of the request at the start of the input, 0 if it is incomplete, -1 if its head is too large. */
static long whole_request(struct connection *c, char **body, size_t *body_size) {
  char *end = memmem(c->input, c->used, "\r\n\r\n", 4);
  if (!end) return c->used == INPUT ? -1 : 0;
  char *rest = end + 4;
  size_t there = (size_t)(c->input + c->used - rest);
  *body = rest;
  const char *length = find_header(c->input, end + 2, "content-length:");
  if (length) {
    *body_size = strtoul(length, NULL, 10);
    return there < *body_size ? 0 : (long)(rest - c->input + (long)*body_size);
  }
  *body_size = there;
  if (!find_header(c->input, end + 2, "transfer-encoding:")) return rest - c->input;
  char *last = memmem(rest, there, "\r\n0\r\n\r\n", 7);
  if (there >= 5 && memcmp(rest, "0\r\n\r\n", 5) == 0) return rest + 5 - c->input;
  return last ? last + 7 - c->input : 0;
}

static void serve(struct connection *c) {
  for (;;) {
    ssize_t n = recv(c->fd, c->input + c->used, INPUT - c->used, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN)) return drop(c);
    if (n < 0) return;
    c->used += (size_t)n;
    while (!c->slot_open && c->used > 0) {
      char *body;
      size_t body_size;
      long size = whole_request(c, &body, &body_size);
      if (size < 0) return drop(c);
      if (size == 0) break;
      if (begin_answer(c, c->input, body, body_size) < 0) return drop(c);
      c->used -= (size_t)size;
      memmove(c->input, c->input + size, c->used);
    }
    if (c->used == INPUT) return drop(c);
  }
}

static void send_due(uint64_t from, uint64_t to) {
  if (to - from > SLOTS) from = to - SLOTS;
  for (uint64_t tick = from + 1; tick <= to; tick++) {
    struct connection *c = wheel[tick % SLOTS], *next;
    for (; c; c = next) {
      next = c->next;
      if (c->due > to) continue;
      take_from_wheel(c);
      c->chunks_sent++;
      chunks++;
      const struct voice *v = c->voice;
      int is_last = c->chunks_sent == CHUNKS, is_first = c->chunks_sent == 1;
      const char *data = is_last ? v->last_chunk : is_first ? v->first_chunk : v->chunk;
      size_t size = is_last ? v->last_size : is_first ? v->first_size : v->chunk_size;
      if (put(c, data, size) < 0) {
        drop(c);
        continue;
      }
      if (is_last) continue;
      // Counted from the time at which this chunk was due, so that a late chunk does not lower the load.
      c->due = c->due + PACE_MS > to ? c->due + PACE_MS : to + 1;
      put_in_wheel(c);
    }
  }
}

static int listen_on_free_port(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 1024) < 0) {
    perror("listen");
    exit(1);
  }
  getsockname(fd, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), on = 1;
    if (fd < 0) return;
    if (fd >= MOST) {
      close(fd);
      continue;
    }
    accepted++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    by_fd[fd] = c;
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  make_answers();
  poller = epoll_create1(0);
  int listener = listen_on_free_port();
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  uint64_t last = now_ms();
  for (;;) {
    int count = epoll_wait(poller, events, 512, open_streams > 0 ? 1 : -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd == listener) accept_all(listener);
      else if (by_fd[events[i].data.fd]) serve(by_fd[events[i].data.fd]);
    }
    uint64_t now = now_ms();
    if (now > last) send_due(last, now);
    last = now;
  }
}
