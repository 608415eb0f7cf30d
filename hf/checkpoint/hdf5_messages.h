/* SPDX-License-Identifier: BSD-3-Clause */
/* Silences HDF5's own messages, which fill pages for one failed call. */
#ifndef BERYL_HF_HDF5_MESSAGES_H
#define BERYL_HF_HDF5_MESSAGES_H

#include <hdf5.h>

/* The settings to return to. */
struct hdf5_messages {
    H5E_auto2_t print;
    void *context;
};

/* HDF5 prints nothing between the two calls. Not collective. */
struct hdf5_messages hdf5_messages_stop(void);
void hdf5_messages_resume(const struct hdf5_messages *messages);

#endif
