/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/collector.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Records of a message; and the time after which fewer are sent. */
enum { MESSAGE_RECORDS = 256 };
static const double SENT_EVERY_S = 1;

/* LAST ends the records of a process. */
enum { TAG_RECORDS, TAG_LAST };

struct collector {
    MPI_Comm comm;
    int rank, n_processes;
    size_t record_size;
    void (*take)(const void *record, void *context);
    void *context;

    char *waiting; /* n_waiting records, to be sent in pieces of MESSAGE_RECORDS */
    int64_t n_waiting, capacity;
    char *message; /* MESSAGE_RECORDS of them: sent, or received on process 0 */
    MPI_Request request;
    double sent_s;
    int n_finished; /* on process 0: of the others, those that have sent their last */
};

enum status collector_create(MPI_Comm comm, size_t record_size,
                             void (*take)(const void *record, void *context), void *context,
                             struct collector **collector)
{
    struct collector *made = *collector = agree_calloc(comm, sizeof *made, "records");
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct collector){.comm = MPI_COMM_NULL,
                               .record_size = record_size,
                               .take = take,
                               .context = context,
                               .request = MPI_REQUEST_NULL,
                               .sent_s = clock_now_s()};
    made->message = agree_calloc(comm, MESSAGE_RECORDS * record_size, "records");
    if (!made->message) {
        collector_destroy(made);
        *collector = NULL;
        return STATUS_NO_MEMORY;
    }
    MPI_Comm_dup(comm, &made->comm);
    MPI_Comm_rank(comm, &made->rank);
    MPI_Comm_size(comm, &made->n_processes);
    return STATUS_OK;
}

void collector_destroy(struct collector *self)
{
    if (!self)
        return;
    if (self->comm != MPI_COMM_NULL)
        MPI_Comm_free(&self->comm);
    free(self->waiting);
    free(self->message);
    free(self);
}

/* Sends the next records; the message before it has been received. */
static void send_records(struct collector *self)
{
    int64_t n = self->n_waiting < MESSAGE_RECORDS ? self->n_waiting : MESSAGE_RECORDS;
    size_t size = (size_t)n * self->record_size;
    memcpy(self->message, self->waiting, size);
    self->n_waiting -= n;
    memmove(self->waiting, self->waiting + size, (size_t)self->n_waiting * self->record_size);
    MPI_Isend(self->message, (int)size, MPI_BYTE, 0, TAG_RECORDS, self->comm, &self->request);
    self->sent_s = clock_now_s();
}

static bool is_sending_due(const struct collector *self)
{
    return self->n_waiting >= MESSAGE_RECORDS ||
           (self->n_waiting > 0 && clock_now_s() - self->sent_s > SENT_EVERY_S);
}

/* Sends what is due, unless the message before is still under way. */
static void send_due(struct collector *self)
{
    int is_free = 1;
    if (self->request != MPI_REQUEST_NULL)
        MPI_Test(&self->request, &is_free, MPI_STATUS_IGNORE);
    if (is_free && is_sending_due(self))
        send_records(self);
}

enum status collector_add(struct collector *self, const void *record)
{
    if (self->rank == 0) {
        self->take(record, self->context);
        return STATUS_OK;
    }
    TRY(array_reserve(&self->waiting, self->n_waiting + 1, &self->capacity, self->record_size));
    memcpy(self->waiting + (size_t)self->n_waiting++ * self->record_size, record,
           self->record_size);
    send_due(self);
    return STATUS_OK;
}

/* Takes the records of a message that is there. */
static void take_record_message(struct collector *self, const MPI_Status *probed)
{
    MPI_Status status;
    int size;
    MPI_Recv(self->message, (int)(MESSAGE_RECORDS * self->record_size), MPI_BYTE,
             probed->MPI_SOURCE, probed->MPI_TAG, self->comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    for (size_t at = 0; at < (size_t)size; at += self->record_size)
        self->take(self->message + at, self->context);
    self->n_finished += probed->MPI_TAG == TAG_LAST;
}

void collector_poll(struct collector *self)
{
    int arrived = self->rank == 0;
    if (self->rank > 0)
        send_due(self);
    while (arrived) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm, &arrived, &status);
        if (arrived)
            take_record_message(self, &status);
    }
}

static void send_last(struct collector *self)
{
    MPI_Wait(&self->request, MPI_STATUS_IGNORE);
    while (self->n_waiting > 0) {
        send_records(self);
        MPI_Wait(&self->request, MPI_STATUS_IGNORE);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_LAST, self->comm);
}

bool collector_finish(struct collector *self)
{
    if (self->rank > 0) {
        send_last(self);
        return true;
    }
    collector_poll(self);
    bool finished = self->n_finished == self->n_processes - 1;
    if (finished)
        self->n_finished = 0;
    return finished;
}
