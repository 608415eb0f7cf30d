#include "sched/cli/calibrate_line.h"

void line_send(struct line *line, int to, enum line_kind kind)
{
    int32_t message = (int32_t)kind;
    comm_send(&line->comm.comm, to, &message, sizeof message);
}

/* --- the mode --- */

static void receive(void *state, int from, const void *message, size_t size)
{
    struct line *line = state;
    (void)size;
    switch ((enum line_kind) * (const int32_t *)message) {
    case PING:
        line_send(line, from, PONG);
        break;
    case PONG:
        line->n_pongs++;
        break;
    case REQUEST_BATCH:
        for (int i = 0; i < LINE_BATCH; i++)
            line_send(line, from, DATA);
        break;
    case DATA:
        line->n_data++;
        break;
    case END:
        line->over = true;
        break;
    }
}

static void sent(void *state, int64_t token)
{
    (void)state, (void)token;
}

static void fetched(void *state, int64_t value)
{
    (void)value;
    ((struct line *)state)->fetched = true;
}

static const struct mode mode = {
    .name = "calibration", .receive = receive, .sent = sent, .fetched = fetched};

/* --- what is measured --- */

void line_init(struct line *line, MPI_Comm comm)
{
    *line = (struct line){0};
    mpi_comm_init(&line->comm, comm, &mode, 1);
    line->comm.state = line;
}

void line_fini(struct line *line)
{
    mpi_comm_finish(&line->comm);
    mpi_comm_fini(&line->comm);
}

void line_ask(struct line *line, int other, const void *bulk, size_t size)
{
    int32_t ping = PING;
    int64_t n_pongs = line->n_pongs;
    comm_send_bulk(
        &line->comm.comm, other,
        &(struct comm_message){
            .head = &ping, .head_size = sizeof ping, .bulk = bulk, .bulk_size = bulk ? size : 0});
    while (line->n_pongs == n_pongs)
        mpi_comm_wait(&line->comm);
}

void line_add_to_counter(struct line *line)
{
    line->fetched = false;
    comm_fetch_add(&line->comm.comm, 1);
    while (!line->fetched)
        mpi_comm_wait(&line->comm);
}
