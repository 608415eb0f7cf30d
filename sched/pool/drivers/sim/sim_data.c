/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of the blocks that tasks read and write, by the LogGP model: a transfer of s bytes
 * takes the worker o at its begin and at its end, a request and the block each need L from node to
 * node, and the block occupies first its sender's and then its receiver's network card for s G. A
 * card serves one transfer at a time, in the order in which they come. So n transfers that begin
 * together and have one card in common end, one after another, up to
 *     2 o + 2 L + n s G
 * later. Within a node no card takes part. A thread moves one block after another, as the programs
 * do. Source: Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995, 95. */
#include "sched/pool/core/task_data.h"
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>

/* The transfers of a thread. */
struct sim_mover {
    int32_t why;    /* enum sim_moves */
    bool to_owner;  /* the transfer under way */
    int64_t block;  /* likewise */
    int64_t placed; /* block to be put into the node's memory; -1: none */
    const struct taskpool_data_access *accesses; /* n; next is the first that was not handled yet */
    int64_t n, next;
    double read_s; /* wait of the task for its blocks to read */
};

/* A copy of another worker's block in a node's memory, or a block that a worker of the node has
 * written, until it has to make room or its writer takes it out. */
struct copy {
    int64_t block, bytes; /* block first: the order of array_ascending */
    int writer;           /* that has to take it out; -1: it is as its owner has it */
    struct copy *newer, *older;
    struct copy *next_written, **to_written; /* in the list of its writer */
};

/* Holds the copies that were used last, up to a number of bytes. */
struct node_memory {
    void *copies; /* tree of tsearch, by block */
    struct copy *newest, *oldest;
    int64_t used_bytes;
};

struct sim_data {
    const struct taskpool_data *table; /* borrowed */
    int n_nodes;
    struct node_memory *nodes;
    int64_t node_bytes;       /* of each node's memory, for copies */
    struct copy **written;    /* by each worker */
    double *cards;            /* of each node: busy until then */
    struct sim_mover *movers; /* n_workers x n_threads */
};

/* --- copies --- */

static void unlink_copy(struct node_memory *node, struct copy *copy)
{
    *(copy->newer ? &copy->newer->older : &node->newest) = copy->older;
    *(copy->older ? &copy->older->newer : &node->oldest) = copy->newer;
}

static void link_copy(struct node_memory *node, struct copy *copy)
{
    copy->newer = NULL;
    copy->older = node->newest;
    *(node->newest ? &node->newest->newer : &node->oldest) = copy;
    node->newest = copy;
}

static void forget_writer(struct copy *copy)
{
    if (copy->writer < 0)
        return;
    *copy->to_written = copy->next_written;
    if (copy->next_written)
        copy->next_written->to_written = copy->to_written;
    copy->writer = -1;
}

static void drop_oldest_copy(struct node_memory *node)
{
    struct copy *copy = node->oldest;
    unlink_copy(node, copy);
    forget_writer(copy);
    node->used_bytes -= copy->bytes;
    tdelete(copy, &node->copies, array_ascending);
    free(copy);
}

static struct copy *find_copy(const struct node_memory *node, int64_t block)
{
    struct copy *const *found = tfind(&block, &node->copies, array_ascending);
    return found ? *found : NULL;
}

/* Whether the node has the block, which is then the one used last. */
static bool use_copy(struct node_memory *node, int64_t block)
{
    struct copy *copy = find_copy(node, block);
    if (!copy)
        return false;
    unlink_copy(node, copy);
    link_copy(node, copy);
    return true;
}

/* Puts a block that the node does not have into its memory. Returns -1 when it is there; otherwise
 * a written block that had to make room for it, which is to be brought to its owner before this is
 * called again. */
static int64_t put_copy(struct sim_data *data, struct node_memory *node, int64_t block)
{
    int64_t bytes = data->table->blocks[block].bytes;
    while (node->used_bytes + bytes > data->node_bytes) {
        const struct copy *oldest = node->oldest;
        int64_t written = oldest->writer >= 0 ? oldest->block : -1;
        drop_oldest_copy(node);
        if (written >= 0)
            return written;
    }
    struct copy *copy = malloc(sizeof *copy);
    if (!copy)
        die_no_memory("no memory for the data of simulated nodes");
    *copy = (struct copy){.block = block, .bytes = bytes, .writer = -1};
    if (!tsearch(copy, &node->copies, array_ascending))
        die_no_memory("no memory for the data of simulated nodes");
    link_copy(node, copy);
    node->used_bytes += bytes;
    return -1;
}

/* A worker of the node has written a block that the node has. */
static void note_written(struct sim_data *data, struct copy *copy, int worker)
{
    if (copy->writer >= 0)
        return;
    copy->writer = worker;
    copy->next_written = data->written[worker];
    copy->to_written = &data->written[worker];
    if (copy->next_written)
        copy->next_written->to_written = &copy->next_written;
    data->written[worker] = copy;
}

/* Another of the blocks that the worker has to take out, which stays as a copy; -1: no more. */
static int64_t take_written(struct sim_data *data, int worker)
{
    struct copy *copy = data->written[worker];
    if (!copy)
        return -1;
    forget_writer(copy);
    return copy->block;
}

/* --- life --- */

void sim_data_begin(struct sim_data *data)
{
    for (int i = 0; i < data->n_nodes; i++)
        while (data->nodes[i].oldest)
            drop_oldest_copy(&data->nodes[i]);
}

enum status sim_data_create(struct driver_sim *sim)
{
    const struct taskpool_machine *machine = sim->machine;
    size_t n_workers = (size_t)sim->n_workers;
    if (!machine->data || sim->setup->problem->record_size > 0)
        return STATUS_OK;
    struct sim_data *data = sim->data = calloc(1, sizeof *data);
    TRY(CHECK_MEMORY(data, "no memory for simulated data"));
    size_t n_nodes = (n_workers - 1) / (size_t)sim->node_size + 1;
    data->table = machine->data;
    data->node_bytes = machine->cache_bytes;
    data->nodes = calloc(n_nodes, sizeof *data->nodes);
    data->n_nodes = data->nodes ? (int)n_nodes : 0;
    data->written = calloc(n_workers, sizeof *data->written);
    data->cards = calloc(n_nodes, sizeof *data->cards);
    data->movers = calloc(n_workers * (size_t)sim->n_threads, sizeof *data->movers);
    return CHECK_MEMORY(data->nodes && data->written && data->cards && data->movers,
                        "no memory for the data of %zu simulated nodes", n_nodes);
}

void sim_data_destroy(struct sim_data *data)
{
    if (!data)
        return;
    sim_data_begin(data);
    free(data->nodes);
    free(data->written);
    free(data->cards);
    free(data->movers);
    free(data);
}

static struct sim_mover *mover_of_caller(struct sim_worker *worker)
{
    const struct driver_sim *sim = worker->sim;
    int64_t thread = worker->caller - sim_threads(worker);
    return &sim->data->movers[(int64_t)worker->comm.rank * sim->n_threads + thread];
}

double sim_read_s(struct sim_worker *worker)
{
    return worker->sim->data ? mover_of_caller(worker)->read_s : 0;
}

static int node_of_worker(const struct driver_sim *sim, int worker)
{
    return worker / sim->node_size;
}

static int node_of_block(const struct driver_sim *sim, int64_t block)
{
    int owner = data_block_owner(&sim->data->table->blocks[block], sim->n_workers);
    return node_of_worker(sim, owner);
}

/* --- one transfer --- */

static void add_move_event(struct sim_worker *worker, enum event_kind kind, double time_s)
{
    int32_t thread = (int32_t)(worker->caller - sim_threads(worker));
    if (sim_check_time(worker->sim, time_s))
        event_queue_add(&worker->sim->events, (struct event){.kind = kind,
                                                             .time_s = time_s,
                                                             .worker = worker->comm.rank,
                                                             .from = thread});
}

/* s G of the block that moves. */
static double card_seconds(const struct driver_sim *sim, const struct sim_mover *mover,
                           double bandwidth)
{
    double bytes = (double)sim->data->table->blocks[mover->block].bytes;
    return bandwidth > 0 ? bytes / bandwidth : 0;
}

static void begin_transfer(struct sim_worker *worker, int64_t block, bool to_owner)
{
    struct driver_sim *sim = worker->sim;
    const struct taskpool_machine *machine = sim->machine;
    struct sim_mover *mover = mover_of_caller(worker);
    bool near = node_of_worker(sim, worker->comm.rank) == node_of_block(sim, block);
    mover->block = block;
    mover->to_owner = to_owner;
    worker->caller->doing = RUNNING;
    sim_count_message(worker, (size_t)sim->data->table->blocks[block].bytes);
    recorder_message(
        sim->driver.records.recorder, sim_message_lane(worker), &worker->comm,
        (struct trace_message){.kind = TRACE_BLOCK_TRANSFER,
                               .size = (uint32_t)sim->data->table->blocks[block].bytes});
    double sent_s = worker->caller->clock_s + machine->overhead_s;
    if (!near) {
        add_move_event(worker, EVENT_DEPARTS, sent_s + (to_owner ? 0 : machine->latency_s));
        return;
    }
    double latency_s = machine->has_levels ? machine->node_latency_s : machine->latency_s;
    double bandwidth = machine->has_levels ? machine->node_bandwidth : machine->bandwidth;
    add_move_event(worker, EVENT_MOVED,
                   sent_s + 2 * latency_s + card_seconds(sim, mover, bandwidth));
}

/* The time from which on the card serves a transfer that comes to it at time_s. */
static double occupy_card(struct driver_sim *sim, int node, double time_s, double busy_s)
{
    double begin_s = fmax(time_s, sim->data->cards[node]);
    sim->data->cards[node] = begin_s + busy_s;
    return begin_s;
}

/* The first byte leaves the sender, or reaches the receiver. */
static void pass_card(struct sim_worker *worker, const struct event *event)
{
    struct driver_sim *sim = worker->sim;
    const struct sim_mover *mover = mover_of_caller(worker);
    double latency_s = sim->machine->latency_s;
    double busy_s = card_seconds(sim, mover, sim->machine->bandwidth);
    bool departs = event->kind == EVENT_DEPARTS;
    int node = departs == mover->to_owner ? node_of_worker(sim, worker->comm.rank)
                                          : node_of_block(sim, mover->block);
    double begin_s = occupy_card(sim, node, event->time_s, busy_s);
    if (departs)
        add_move_event(worker, EVENT_ARRIVES, begin_s + latency_s);
    else
        add_move_event(worker, EVENT_MOVED, begin_s + busy_s + (mover->to_owner ? latency_s : 0));
}

/* --- all transfers of a task --- */

/* Whether another block has to leave first, and does so now. */
static bool keep_block(struct sim_worker *worker, struct sim_mover *mover)
{
    struct sim_data *data = worker->sim->data;
    struct node_memory *node = &data->nodes[node_of_worker(worker->sim, worker->comm.rank)];
    int64_t block = mover->placed;
    /* Another worker of the node may have brought it meanwhile. */
    if (!use_copy(node, block)) {
        int64_t written = put_copy(data, node, block);
        if (written >= 0) {
            begin_transfer(worker, written, true);
            return true;
        }
    }
    if (mover->why == SIM_MOVES_WRITTEN)
        note_written(data, find_copy(node, block), worker->comm.rank);
    mover->placed = -1;
    return false;
}

/* Starts an access; whether it needs a transfer. */
static bool begin_access(struct sim_worker *worker, struct sim_mover *mover,
                         const struct taskpool_data_access *access)
{
    const struct driver_sim *sim = worker->sim;
    const struct taskpool_data_block *block = &sim->data->table->blocks[access->block];
    struct node_memory *node = &sim->data->nodes[node_of_worker(sim, worker->comm.rank)];
    if (access->writes != (mover->why == SIM_MOVES_WRITTEN) ||
        data_block_owner(block, sim->n_workers) == worker->comm.rank ||
        (!access->writes && use_copy(node, access->block)))
        return false;
    bool is_kept = block->bytes <= sim->data->node_bytes;
    mover->placed = is_kept ? access->block : -1;
    if (access->writes && is_kept)
        return false;
    begin_transfer(worker, access->block, access->writes);
    return true;
}

static bool begin_next_transfer(struct sim_worker *worker, struct sim_mover *mover)
{
    for (;;) {
        if (mover->placed >= 0 && keep_block(worker, mover))
            return true;
        if (mover->next < mover->n) {
            if (begin_access(worker, mover, &mover->accesses[mover->next++]))
                return true;
        } else {
            break;
        }
    }
    if (mover->why != SIM_MOVES_REST)
        return false;
    int64_t written = take_written(worker->sim->data, worker->comm.rank);
    if (written >= 0)
        begin_transfer(worker, written, true);
    return written >= 0;
}

bool sim_move(struct sim_worker *worker, enum sim_moves why, int64_t task)
{
    struct sim_mover *mover = mover_of_caller(worker);
    *mover = (struct sim_mover){.why = (int32_t)why, .placed = -1};
    if (why != SIM_MOVES_REST)
        mover->accesses = task_data_of(worker->sim->data->table, task, &mover->n);
    return begin_next_transfer(worker, mover);
}

bool sim_go_on_moving(struct sim_worker *worker, const struct event *event, enum sim_moves *why)
{
    struct sim_thread *thread = worker->caller = &sim_threads(worker)[event->from];
    struct sim_mover *mover = mover_of_caller(worker);
    *why = (enum sim_moves)mover->why;
    if (event->kind != EVENT_MOVED) {
        pass_card(worker, event);
        return true;
    }
    double end_s = event->time_s + worker->sim->machine->overhead_s;
    double moved_s = end_s - thread->clock_s;
    thread->statistics.communication_s += moved_s;
    sim_record(worker, thread, TRACE_COMMUNICATION, thread->clock_s, end_s);
    thread->clock_s = end_s;
    if (mover->why == SIM_MOVES_READ)
        mover->read_s += moved_s;
    return begin_next_transfer(worker, mover);
}
