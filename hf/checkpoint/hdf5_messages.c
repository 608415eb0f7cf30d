/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/hdf5_messages.h"

struct hdf5_messages hdf5_messages_stop(void)
{
    struct hdf5_messages messages;
    /* At exit, HDF5 would print messages about damaged files that could not be closed. All
     * others are closed by then. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &messages.print, &messages.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return messages;
}

void hdf5_messages_resume(const struct hdf5_messages *messages)
{
    H5Eset_auto2(H5E_DEFAULT, messages->print, messages->context);
}
