/* HDF5 prints pages of its own about a call that fails, unless told not to. */
#ifndef BERYL_HF_HDF5_MESSAGES_H
#define BERYL_HF_HDF5_MESSAGES_H

#include <hdf5.h>

/* How HDF5 spoke before. */
struct hdf5_messages {
    H5E_auto2_t print;
    void *context;
};

/* Between the two it says nothing. Not collective. */
struct hdf5_messages hdf5_messages_stop(void);
void hdf5_messages_resume(const struct hdf5_messages *messages);

#endif
