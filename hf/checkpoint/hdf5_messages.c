#include "hf/checkpoint/hdf5_messages.h"

struct hdf5_messages hdf5_messages_stop(void)
{
    struct hdf5_messages messages;
    /* A file that is damaged within may not let itself be closed, about which HDF5 would
     * speak at the end of the program. What can be closed is closed here. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &messages.print, &messages.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return messages;
}

void hdf5_messages_resume(const struct hdf5_messages *messages)
{
    H5Eset_auto2(H5E_DEFAULT, messages->print, messages->context);
}
